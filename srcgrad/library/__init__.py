"""Functions that have no derivative rule, written in plain Python: calls of them are compiled as calls of these.

A chapter holds the functions of one module, each with exactly the meaning of its original:

    @equivalent(builtins.sum)
    def sum_(iterable, /, start=0):
        total = start
        for item in iterable:
            total = total + item
        return total

The compiler puts such a function in the place of the original where something that is differentiated takes part, and
treats it as if the user had written it.
"""
