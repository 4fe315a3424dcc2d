"""Pages in a real browser: ``make browser-test``."""
