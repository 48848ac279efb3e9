"""One tool in one process. Reads JSON commands on stdin, answers JSON lines on stdout (see bench.py)."""
import contextlib
import ctypes
import gc
import importlib
import json
import os
import resource
import sys
import time
import traceback
import warnings

import numpy as np

import peers
from clean import find_package

warnings.simplefilter("ignore")
find_package()
# keep the protocol stream clean: anything a tool prints goes to stderr
OUT = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def say(**kw):
    OUT.write(json.dumps(kw) + "\n")
    OUT.flush()


def status_kb(key):
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith(key):
                return int(line.split()[1])
    return 0


def reset_peak():
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
        return True
    except OSError:
        return False


def trim():
    """Give freed heap back, or earlier peaks would hide this one."""
    with contextlib.suppress(OSError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


def directional(mod, args, seed, directions):
    """Central differences of the plain NumPy loss along random directions of all active arguments."""
    out = []
    h = getattr(mod, "FD_STEP", 1e-6)
    for s in range(directions):
        r = np.random.default_rng(seed + s)
        plus, minus = list(args), list(args)
        for i in mod.ACTIVE:
            d = r.standard_normal(np.shape(args[i]))
            plus[i] = args[i] + h * d
            minus[i] = args[i] - h * d
        out.append(float((mod.loss(*plus) - mod.loss(*minus)) / (2 * h)))
    return out


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def peak_mb(call):
    """Memory of one call above what the process holds before it; None where the system doesn't say."""
    gc.collect()
    trim()
    base = status_kb("VmRSS")
    if not reset_peak():
        return None
    call()
    return (status_kb("VmHWM") - base) / 1024.0


class Session:
    """The kernel that is loaded and its gradient, between the driver's commands."""

    def __init__(self, tool):
        self.build = peers.TOOLS[tool]
        self.mod = self.args = self.call = None

    def prep(self, kernel, size, grads):
        self.call = None
        gc.collect()
        self.mod = importlib.import_module("kernels." + kernel)
        self.args = self.mod.make_args(size)
        build_time, (call, info) = timed(lambda: self.build(self.mod, self.args))
        call_time, (value, gradients) = timed(call)
        if gradients is not None:
            np.savez(grads, *[np.asarray(g) for g in gradients])
        second, _ = timed(call)
        self.call = call
        return {"value": float(value), "first": build_time + call_time, "second": second, "info": info,
                "peak_mb": peak_mb(call) if second < 20 else None}

    def fd(self, seed, directions):
        return {"fd": directional(self.mod, self.args, seed, directions)}

    def time(self, inner):
        gc.collect()
        start = time.perf_counter()
        for _ in range(inner):
            self.call()
        return {"time": (time.perf_counter() - start) / inner}


def answer(session, command):
    try:
        say(ok=True, **getattr(session, command.pop("do"))(**command))
    except peers.Unavailable as e:
        say(ok=False, error="unavailable: " + str(e))
    except BaseException as e:
        traceback.print_exc()
        say(ok=False, error=f"{type(e).__name__}: {str(e)[:200]}")
        if isinstance(e, KeyboardInterrupt):
            raise


def main(tool):
    limit = int(float(os.environ.get("BENCH_MAX_GB", "12")) * 2 ** 30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    session = Session(tool)
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "quit":
            return
        answer(session, command)


if __name__ == "__main__":
    main(sys.argv[1])
