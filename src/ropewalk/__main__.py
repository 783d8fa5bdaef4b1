"""`python -m ropewalk`: the command line where `ropewalk` is not on the path."""

from ropewalk.cli.main import main

if __name__ == "__main__":
    main()
