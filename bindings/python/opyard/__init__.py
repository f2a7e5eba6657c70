"""opyard: placement, scheduling and fusion of ops on machines with several accelerators."""
