"""Every derivative, once: one file a chapter, found through `rules.registry`, which loads the chapters on first use."""
