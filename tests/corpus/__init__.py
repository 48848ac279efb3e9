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
    # calls that need closures, functions as values or star arguments
    "function_as_argument", "closure_in_a_loop", "lambdas_by_name", "star_arguments", "closure_over_a_rebound_name",
    "nonlocal_counter", "functional_style", "stars_everywhere", "numpy_with_callbacks",
    # lists and dicts that are changed other than by append
    "binomial_option", "list_of_lists", "stack_machine", "push_and_pop", "list_of_buffers", "lists_edited_in_place",
    "dict_with_dynamic_keys", "state_in_dicts",
    # generators
    "generator_with_state", "generator_of_views",
    # objects, globals that are written, other syntax and other numbers
    "array_in_an_object", "properties_and_operators", "local_class", "global_work_buffer", "comprehensions",
    "zip_and_enumerate", "complex_spectrum", "output_arguments",
    "one_of_two_is_written",
    # objects of one class inside each other without end, methods that lead back to themselves
    "network_of_layers", "recursive_tree",
    # methods of ufuncs other than those of arithmetic
    "mixture_by_em",
]

CORE = {name: p for name, p in PROGRAMS.items() if name not in LATER}
