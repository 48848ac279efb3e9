"""One adapter per tool. An adapter turns a kernel module and concrete arguments into a zero-argument callable that
returns ``(value, grads)`` with grads in ACTIVE order, plus a note on how the kernel had to be presented to the tool.

``status`` is one of
  as-is      the plain NumPy kernel ran unmodified (for autograd and torch: with the module global ``np`` re-pointed)
  rewrite    the plain kernel was refused; a hand-adapted variant from the kernel module ran
  n/a        neither ran
"""
import difflib
import inspect
import types
import warnings

import numpy as np

VARIANT_PREFIXES = ("jax_", "jaxnaive_", "func_", "_func_", "hand_", "_hand_", "numba_")


class Unavailable(Exception):
    pass


def _functions(mod):
    if not isinstance(mod, types.ModuleType):
        return []
    return [f for n, f in vars(mod).items() if isinstance(f, types.FunctionType) and f.__module__ == mod.__name__]


def primal_source(mod):
    out = []
    for f in _functions(mod):
        if f.__name__ != "make_args" and not f.__name__.startswith(VARIANT_PREFIXES):
            out.append(inspect.getsource(f))
    return _code_lines("".join(out))


def _code_lines(src):
    lines = []
    indoc = False
    for line in src.splitlines():
        s = line.strip()
        if s.startswith('"""'):
            if not (s.endswith('"""') and len(s) > 3):
                indoc = not indoc
            continue
        if indoc:
            if s.endswith('"""'):
                indoc = False
            continue
        if s and not s.startswith("#"):
            lines.append(s)
    return lines


def variant_lines(mod, *prefixes):
    """(changed lines, primal lines): lines of the variant that do not occur in the plain kernel."""
    src = []
    for f in _functions(mod):
        if f.__name__.startswith(prefixes):
            src.append(inspect.getsource(f))
    base = [x.replace("jnp.", "np.") for x in primal_source(mod)]
    var = [x.replace("jnp.", "np.") for x in _code_lines("".join(src))]
    sm = difflib.SequenceMatcher(a=base, b=var, autojunk=False)
    same = sum(m.size for m in sm.get_matching_blocks())
    return len(var) - same, len(base)


def retarget(mod, namespace):
    """A copy of the module's functions whose global ``np`` is ``namespace``."""
    g = dict(vars(mod))
    g["np"] = namespace
    for f in _functions(mod):
        nf = types.FunctionType(f.__code__, g, f.__name__, f.__defaults__, f.__closure__)
        g[f.__name__] = nf
    return g


def _is_float_array(a):
    return isinstance(a, np.ndarray) and a.dtype.kind == "f"


def split(args, active):
    act = [args[i] for i in active]

    def join(vals):
        full = list(args)
        for i, v in zip(active, vals):
            full[i] = v
        return full

    return act, join


def _attempts(mod, names):
    for name in names:
        if hasattr(mod, name):
            yield name


# ---------------------------------------------------------------- NumPy, hand, Numba
def primal(mod, args):
    return (lambda: (mod.loss(*args), None)), {"status": "as-is"}


def hand(mod, args):
    if not hasattr(mod, "hand_value_and_grad"):
        raise Unavailable("no hand adjoint")
    return (lambda: mod.hand_value_and_grad(*args)), {"status": "as-is"}


def numba_primal(mod, args):
    if not hasattr(mod, "numba_functions"):
        raise Unavailable("no numba variant")
    f, _ = mod.numba_functions()
    return (lambda: (f(*args), None)), {"status": "as-is"}


def numba_hand(mod, args):
    if not hasattr(mod, "numba_functions"):
        raise Unavailable("no numba variant")
    _, f = mod.numba_functions()
    return (lambda: f(*args)), {"status": "as-is"}


# ---------------------------------------------------------------- tracing peers
def autograd(mod, args):
    import autograd.numpy as anp
    from autograd import value_and_grad
    act, join = split(args, mod.ACTIVE)
    ns = retarget(mod, anp)
    errors = []
    for name in _attempts(mod, ["loss", "func_loss"]):
        fn = ns[name]
        vg = value_and_grad(lambda vals, fn=fn: fn(*join(vals)))
        try:
            vg(tuple(act))
        except Exception as e:
            errors.append(f"{name}: {type(e).__name__}: {str(e)[:120]}")
            continue
        info = {"status": "as-is" if name == "loss" else "rewrite", "errors": errors}
        if name != "loss":
            info["lines"] = variant_lines(mod, "func_", "_func_")
        return (lambda vg=vg: vg(tuple(act))), info
    raise Unavailable("; ".join(errors))


def _jax(mod, args, names):
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    act, join = split([jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args], mod.ACTIVE)
    errors = []
    for name in names:
        if name == "as-is":
            fn = retarget(mod, jnp)["loss"]
        elif hasattr(mod, name):
            fn = getattr(mod, name)
        else:
            continue
        # everything not active is closed over except arrays, which are passed so XLA cannot constant-fold them
        arr = [i for i, a in enumerate(args) if isinstance(a, np.ndarray) and i not in mod.ACTIVE]

        def full(vals, consts, fn=fn, arr=arr):
            f = join(vals)
            for i, c in zip(arr, consts):
                f[i] = c
            return fn(*f)

        vg = jax.jit(jax.value_and_grad(full))
        consts = [jnp.asarray(args[i]) for i in arr]

        def call(vg=vg, consts=consts):
            return jax.block_until_ready(vg(tuple(act), consts))

        try:
            val, grads = call()
        except Exception as e:
            errors.append(f"{name}: {type(e).__name__}: {str(e)[:120]}")
            continue
        info = {"status": "as-is" if name == "as-is" else "rewrite", "errors": errors}
        if name != "as-is":
            info["lines"] = variant_lines(mod, name.split("_")[0] + "_")
        return call, info
    raise Unavailable("; ".join(errors) or "no variant")


def jax_jit(mod, args):
    return _jax(mod, args, ["as-is", "jax_loss"] if not hasattr(mod, "jax_loss") else ["jax_loss"])


def jax_asis(mod, args):
    """Only the plain kernel, to record whether jit accepts it at all and what unrolled tracing costs."""
    return _jax(mod, args, ["as-is"])


def jax_unrolled(mod, args):
    """The functional variant under jit: Python loops are unrolled into the program XLA has to compile."""
    mod_jnp = types.SimpleNamespace(**{**vars(mod), **retarget(mod, __import__("jax.numpy").numpy)})
    mod_jnp.jaxunrolled_loss = mod_jnp.func_loss if hasattr(mod_jnp, "func_loss") else mod_jnp.loss
    return _jax(mod_jnp, args, ["jaxunrolled_loss"])


def jax_naive(mod, args):
    return _jax(mod, args, ["jaxnaive_loss"])


class _TorchNumpy:
    """The generous reading of 'runs as is': a namespace that maps the NumPy spelling onto torch."""

    def __init__(self):
        import torch
        self._t = torch
        torch.set_default_dtype(torch.float64)
        torch.set_num_threads(1)
        torch.Tensor.copy = torch.Tensor.clone
        self.newaxis = None
        self.pi = np.pi

    def __getattr__(self, name):
        return getattr(self._t, name)

    def _tt(self, x):
        return x if isinstance(x, self._t.Tensor) else self._t.as_tensor(x)

    def _un(name):
        def f(self, x):
            if isinstance(x, self._t.Tensor):
                return getattr(self._t, name)(x)
            return getattr(np, name)(x)
        return f

    exp, log, sqrt, sin, cos, tanh = map(_un, ("exp", "log", "sqrt", "sin", "cos", "tanh"))

    def sum(self, x, axis=None, keepdims=False):
        return self._t.sum(x) if axis is None else self._t.sum(x, dim=axis, keepdim=keepdims)

    def mean(self, x, axis=None, keepdims=False):
        return self._t.mean(x) if axis is None else self._t.mean(x, dim=axis, keepdim=keepdims)

    def std(self, x, axis=None):
        return self._t.std(x, dim=axis, correction=0)

    def max(self, x, axis=None, keepdims=False):
        return self._t.amax(x) if axis is None else self._t.amax(x, dim=axis, keepdim=keepdims)

    def maximum(self, a, b):
        return self._t.clamp(a, min=b) if not isinstance(b, self._t.Tensor) else self._t.maximum(a, b)

    def where(self, c, a, b):
        return self._t.where(c, a, b)

    def concatenate(self, xs, axis=0):
        return self._t.cat(tuple(xs), dim=axis)

    def stack(self, xs, axis=0):
        return self._t.stack(tuple(self._tt(x) for x in xs), dim=axis)

    def hstack(self, xs):
        return self._t.hstack(xs)

    def flip(self, x, axis=None):
        return self._t.flip(x, dims=(0,))

    def dot(self, a, b):
        return self._t.dot(a, b)

    def eye(self, n, m=None):
        return self._t.eye(n, m) if m else self._t.eye(n)

    def reshape(self, x, shape):
        return self._t.reshape(x, shape)


def torch(mod, args):
    import torch as th
    tn = _TorchNumpy()

    def conv(a):
        return th.from_numpy(np.ascontiguousarray(a)) if isinstance(a, np.ndarray) else a

    targs = [th.tensor(a) if i in mod.ACTIVE and isinstance(a, float) else conv(a) for i, a in enumerate(args)]
    # integer index arrays stay NumPy-like where the kernel uses them as Python ints; torch accepts its own int tensors
    act, join = split(targs, mod.ACTIVE)
    ns = retarget(mod, tn)
    errors = []
    for name in _attempts(mod, ["loss", "func_loss"]):
        fn = ns[name]

        def call(fn=fn):
            leaves = [a.detach().requires_grad_(True) for a in act]
            val = fn(*join(leaves))
            grads = th.autograd.grad(val, leaves, allow_unused=True)
            return val.detach(), [th.zeros_like(l) if g is None else g for g, l in zip(grads, leaves)]

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call()
        except Exception as e:
            errors.append(f"{name}: {type(e).__name__}: {str(e)[:120]}")
            continue
        info = {"status": "as-is" if name == "loss" else "rewrite", "errors": errors}
        if name != "loss":
            info["lines"] = variant_lines(mod, "func_", "_func_")
        return call, info
    raise Unavailable("; ".join(errors))


def mygrad(mod, args):
    import mygrad as mg
    act, join = split(args, mod.ACTIVE)
    # Tensor.copy() cuts the graph without a word, so an unpatched run returns zeros; patched here as for torch
    mg.Tensor.copy = lambda self: +self
    mg.Tensor.__abs__ = lambda self: mg.abs(self)
    errors = []
    for name in _attempts(mod, ["loss", "func_loss"]):
        for label, space in (("mg", _MyGradNumpy(mg)), ("np", np)):
            fn = retarget(mod, space)[name]

            def call(fn=fn):
                leaves = [mg.tensor(a, copy=False) for a in act]
                val = fn(*join(leaves))
                val.backward()
                return val.item(), [np.zeros_like(a) if l.grad is None else l.grad for l, a in zip(leaves, act)]

            try:
                call()
            except Exception as e:
                errors.append(f"{name}/{label}: {type(e).__name__}: {str(e)[:120]}")
                continue
            info = {"status": "as-is" if name == "loss" else "rewrite", "errors": errors}
            if name != "loss":
                info["lines"] = variant_lines(mod, "func_", "_func_")
            return call, info
    raise Unavailable("; ".join(errors))


class _MyGradNumpy:
    def __init__(self, mg):
        self._mg = mg

    def dot(self, a, b):
        return self._mg.matmul(a, b)

    def flip(self, x):
        return x[::-1]

    def __getattr__(self, name):
        return getattr(self._mg, name) if hasattr(self._mg, name) else getattr(np, name)


def advect(mod, args):
    import advect as ad
    act, join = split(args, mod.ACTIVE)
    errors = []
    for name in _attempts(mod, ["loss", "func_loss"]):
        fn = getattr(mod, name)
        vg = ad.value_and_grad(lambda *vals, fn=fn: fn(*join(vals)), argnums=tuple(range(len(act))))
        try:
            vg(*act)
        except Exception as e:
            errors.append(f"{name}: {type(e).__name__}: {str(e)[:120]}")
            continue
        info = {"status": "as-is" if name == "loss" else "rewrite", "errors": errors}
        if name != "loss":
            info["lines"] = variant_lines(mod, "func_", "_func_")
        return (lambda vg=vg: vg(*act)), info
    raise Unavailable("; ".join(errors))


def _srcgrad(mod, args, **kw):
    try:
        import srcgrad
    except ImportError as error:
        raise Unavailable("srcgrad not importable") from error
    active = mod.ACTIVE
    vg = srcgrad.value_and_grad(mod.loss, argnums=active if len(active) > 1 else active[0], **kw)

    def call():
        val, grads = vg(*args)
        return val, grads if isinstance(grads, (tuple, list)) else (grads,)

    return call, {"status": "as-is"}


def srcgrad(mod, args):
    return _srcgrad(mod, args)


def srcgrad_numba(mod, args):
    return _srcgrad(mod, args, backend="numba")


TOOLS = {adapter.__name__: adapter for adapter in (
    primal, hand, numba_primal, numba_hand, autograd, jax_jit, jax_asis, jax_unrolled, jax_naive, torch, mygrad, advect,
    srcgrad, srcgrad_numba)}
