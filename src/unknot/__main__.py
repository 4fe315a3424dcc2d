"""`python -m unknot`."""

from unknot.cli import main

if __name__ == "__main__":
    main()
