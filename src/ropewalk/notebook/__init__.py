"""Results for their readers in Python: cards in a notebook, pictures, 3D views, files; under `.rw` on Datasets."""
