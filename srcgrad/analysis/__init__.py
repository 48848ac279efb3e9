"""Pure functions from code to frozen facts."""
