"""The moment by which a command or a call has to end, handed down in place of seconds that each would count anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from unknot._base.background import NoAnswerError, clock, within
from unknot._base.errors import RelationError, UnknotError

T = TypeVar("T")
CLOSING, AT_LEAST = 0.08, 0.8
"""Share of the limit, or seconds, if more, after which a stage is left that does not look at the clock."""


@dataclass(frozen=True)
class Deadline:
    """A time limit that has begun; wherever seconds are taken as a limit, a deadline may stand in their place.

    Parameters
    ----------
    seconds : float
        The whole limit, for messages.
    end : float
        When it is over, on `unknot._base.background.clock`.

    Examples
    --------
    >>> deadline = Deadline.after(60)
    >>> deadline.over, Deadline.of(deadline) is deadline
    (False, True)
    """

    seconds: float
    end: float

    @classmethod
    def after(cls, seconds: float, what: str = "", wrong: type[UnknotError] = RelationError) -> Deadline:
        """Begin a limit.

        Raises
        ------
        UnknotError
            Of the type `wrong`, with `what` in front, if it is no positive number.
        """
        if not seconds > 0:
            start = f"{what}: the" if what else "the"
            raise wrong(f"{start} time limit must be a positive number of seconds, got {seconds!r}")
        return cls(seconds, clock() + seconds)

    @classmethod
    def of(cls, limit: float | Deadline, what: str = "", wrong: type[UnknotError] = RelationError) -> Deadline:
        """Begin a limit of seconds; one that has begun stays as it is."""
        return limit if isinstance(limit, Deadline) else cls.after(limit, what, wrong)

    @property
    def left(self) -> float:
        """Seconds until the end; 0 from then on."""
        return max(0.0, self.end - clock())

    @property
    def over(self) -> bool:
        return clock() >= self.end

    def part(self, share: float) -> Deadline:
        """The deadline by which a share of what is left has passed."""
        return Deadline(self.seconds, clock() + share * self.left)

    @property
    def closing(self) -> Deadline:
        """The deadline of what has to be done when this one is over; twice in turn still keeps what is promised."""
        return Deadline(self.seconds, self.end + max(CLOSING * self.seconds, AT_LEAST))

    def within(self, work: Callable[[], T]) -> T:
        """Do some work, as `unknot._base.background.within`, and give it up at the end; begin none after it.

        Raises
        ------
        NoAnswerError
            If it did not end in time.
        """
        if self.over:
            raise NoAnswerError
        return within(self.left, work)

    def unless_over(self, work: Callable[[], T]) -> T | None:
        """Return the result of some work, or None if it did not end in time."""
        try:
            return self.within(work)
        except NoAnswerError:
            return None


NEVER = Deadline(float("inf"), float("inf"))
"""No limit."""
