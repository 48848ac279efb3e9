"""NumPy functions that are compositions of others."""
