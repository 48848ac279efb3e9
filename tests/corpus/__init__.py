"""Whole programs, written as scientists write them, with inputs that take different ways through them.

`PROGRAMS` maps names to programs; those named in `LATER` use more than the core language (straight-line code,
branches, loops, calls, writes to arrays, aliases, appended lists, read-only records): they must be right or refused.
"""
import importlib
import pkgutil

from corpus.registry import PROGRAMS, Program

__all__ = ["CORE", "LATER", "MODULES", "NASTY", "PROGRAMS", "Program"]

MODULES = tuple(importlib.import_module(f"corpus.{module.name}") for module in pkgutil.iter_modules(__path__)
                if module.name != "registry")

# The twenty kinds a to t, in order.
NASTY = (
    "view_outlives_its_name", "row_lives_on", "list_of_buffers", "number_then_array", "error_after_partial_effects",
    "generator_with_state", "recursion_by_the_data", "closure_over_a_rebound_name", "array_in_an_object",
    "same_array_twice", "one_of_two_is_written", "leaves_the_loop_early", "shape_from_the_values",
    "one_callee_many_types", "dict_with_dynamic_keys", "push_and_pop", "reshape_then_write", "where_guards_infinity",
    "result_is_the_argument", "global_work_buffer",
)

LATER = [
    # lists whose elements are of several kinds (of these, the second one where kinds are forgotten)
    "nested_list_argument", "tree_of_lists",
    # `nditer`
    "numpy_with_callbacks",
]

CORE = {name: p for name, p in PROGRAMS.items() if name not in LATER}
