"""`python -m unknot`."""

from unknot.cli.program import main

if __name__ == "__main__":
    main()
