"""Energy and area of runs: technology files, and events of the engine times what each costs."""
