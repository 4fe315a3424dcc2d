"""Former place of verdicts, for one release."""

import warnings

from unknot.certificates.verdict import Certificate, Configuration, Message, Reachability, Size, Verdict

__all__ = ["Certificate", "Configuration", "Message", "Reachability", "Size", "Verdict"]

warnings.warn("unknot.verify.verdict is now unknot.certificates", DeprecationWarning, stacklevel=2)
