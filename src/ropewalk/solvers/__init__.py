"""One method per file. `protocol.py` says what a solver is; `registry.py` lists them."""
