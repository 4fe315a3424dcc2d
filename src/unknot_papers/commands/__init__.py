"""Commands of the papers: each is loaded for the list of commands, and loads its room when it is run."""
