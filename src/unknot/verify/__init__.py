"""To be filled by its room."""
