"""One package per method; none imports another. `protocol.py` defines a solver; `registry.py` lists them."""
