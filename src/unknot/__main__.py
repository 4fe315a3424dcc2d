"""`python -m unknot`."""

from unknot.cli.start import main

if __name__ == "__main__":
    main()
