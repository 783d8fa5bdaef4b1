"""The command line: `main.py` and one short file per command. Heavy imports stand inside the commands."""
