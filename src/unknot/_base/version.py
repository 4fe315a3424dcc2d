"""Version of the installed package, which its build takes from the tag."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("unknot")
except PackageNotFoundError:  # sources on the path, nothing installed
    __version__ = "0+unknown"
