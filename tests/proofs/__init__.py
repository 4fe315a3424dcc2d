"""Evidence for checkers that are not ours: Coq, drat-trim, lrat-check and cake_lpr, found by PATH."""
