"""Torch's operations that NumPy doesn't have: what each computes on arrays, and its rule."""
