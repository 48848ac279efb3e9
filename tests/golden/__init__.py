"""Generated sources that are kept beside the tests: which programs, and what is printed of each."""
