"""Arrays written in place under all kinds of control flow: loops that are left, errors, managers, matches."""
import numpy as np

from corpus.registry import mat, program, spd, vec


def relaxed(A, b, u, omega):
    """One sweep in place; gives the largest change."""
    most = 0.0
    for i in range(len(b)):
        new = (b[i] - A[i, :i] @ u[:i] - A[i, i + 1:] @ u[i + 1:]) / A[i, i]
        change = omega * (new - u[i])
        u[i] += change
        most = max(most, abs(float(change)))
    return most


@program(inputs=[(spd(3), vec(3, 1), 1.1, 4), (spd(1, 2), vec(1, 3), 0.9, 30),
                 (spd(2, 4), vec(2, 5), 1.0, 0)], wrt=(0, 1, 2))
def relaxation_until_small(A, b, omega, sweeps):
    u = b / np.diag(A)
    done = 0
    while done < sweeps:
        if relaxed(A, b, u, omega) < 1e-9:
            break
        done += 1
    else:
        u *= 1.5
    return u @ b + 0.1 * np.sum(A * A) + omega


@program(inputs=[(mat(4, 3), 0.1), (mat(1, 1, 2), 0.3), (mat(3, 2, 1), 5.0)])
def elimination_with_pivots(A, smallest):
    R = A * 1.0
    row = 0
    for col in range(R.shape[1]):
        best = row + int(np.argmax(np.abs(R[row:, col]))) if row < len(R) else -1
        if best < 0 or abs(R[best, col]) < smallest:
            continue
        if best != row:
            R[[row, best]] = R[[best, row]]
        for i in range(row + 1, len(R)):
            R[i, col:] -= R[i, col] / R[row, col] * R[row, col:]
        row += 1
    return np.sum(R ** 2) + R[0, 0]


@program(inputs=[(vec(5), [0, 3, 9, 1]), (vec(1, 1), [0]), (vec(2, 2), [5, 0])])
def updates_that_may_miss(x, places):
    y = x * x
    missed = 0
    for k, p in enumerate(places):
        try:
            y[p] *= y[k % len(y)] + 1.0
            y[0] += 0.5
        except IndexError:
            y[-1] -= 0.2 * x[0]
            missed += 1
        else:
            if k == 1:
                y /= 1.0 + x
    return np.sum(y) * (1 + missed)


@program(inputs=[(vec(4), "add scale add flip"), (vec(1, 1), "scale"), (vec(3, 2), "")])
def program_of_updates(x, text):
    y = np.sin(x)
    for word in text.split():
        match word:
            case "add":
                y += x
            case "scale":
                y[1:] *= 0.5 * y[0]
                y[0] = x[-1]
            case _:
                y = y[::-1]
    y[0] *= 2.0
    return y @ x


@program(inputs=[(mat(3, 4), 0.4), (mat(1, 2, 3), 0.1), (mat(2, 2, 4), -3.0)])
def rows_until_a_limit(A, limit):
    B = np.zeros(A.shape)
    for i in range(len(A)):
        for j in range(A.shape[1]):
            if A[i, j] < limit - 1.0:
                return np.sum(B) + A[i, j] ** 2
            B[i, j] = A[i, j] * (B[i - 1, j] + 1.0)
        B[i] *= 1.0 + i
    return np.sum(B * B)


@program(inputs=[(vec(6), 3), (vec(1, 1), 1), (vec(4, 2), 0)])
def queue_of_blocks(x, size):
    y = x * 1.0
    blocks = [y[k:k + size] for k in range(0, len(y), size)] if size else []
    while blocks:
        block = blocks.pop()
        block[0] *= np.sum(block)
        if len(block) > 2:
            blocks.append(block[1:])
            continue
        block += 0.1 * y[0]
    return np.sum(y * x)


@program(inputs=[(vec(4), 2.0), (vec(1, 1), 0.0), (vec(3, 2), 1.0)])
def undone_at_the_end(x, d):
    y = x * x
    kept = y.copy()
    try:
        y[1:] += y[:-1]
        y /= 1.0 if 1 // int(d) else 3.0
    except ZeroDivisionError:
        y[:] = kept * 0.5
    finally:
        kept += y
    return kept @ x + y[0]


@program(inputs=[(mat(3, 3), 2), (mat(1, 1, 1), 1), (mat(2, 2, 2), 0)])
def nested_sweeps_by_while(A, n):
    U = A * A + 1.0
    i = 0
    while i < n:
        j = len(U) - 1
        while j >= 0:
            U[j] /= np.sum(U[j])
            U[:, j] *= 1.0 + A[0, j]
            j -= 1
        i += 1
    U.T[0] -= A[-1]
    return np.sum(U ** 2)


@program(inputs=[(vec(5), 0.8), (vec(1, 1), 0.1), (vec(3, 2), 9.0)])
def quiet_roots(x, level):
    y = x - level
    with np.errstate(invalid="ignore"):
        r = np.sqrt(np.abs(y) + 0.1)
        for k in range(len(y)):
            if y[k] < 0.0:
                r[k] = 0.3 * x[k]
            else:
                r[k:] *= y[k] + 1.0
    return np.sum(r * x)


@program(inputs=[(vec(4), 3), (vec(1, 1), 0), (vec(2, 2), 5)])
def buffers_in_a_dict(x, n):
    work = {"now": x * 1.0, "next": np.zeros(len(x)), "sum": np.zeros(len(x))}
    for k in range(n):
        work["next"][:] = 0.5 * work["now"][::-1] * x
        work["sum"] += work["next"]
        work["now"], work["next"] = work["next"], work["now"]
        if k % 2:
            del work["sum"]
            work["sum"] = work["now"] + 1.0
    return np.sum(work["sum"] * x) + np.sum(work["now"])


class Grid:
    """Cells with a border."""

    def __init__(self, inner):
        self.cells = np.zeros(len(inner) + 2)
        self.cells[1:-1] = inner
        self.age = 0

    @property
    def inner(self):
        return self.cells[1:-1]

    def step(self, rate):
        self.cells[0], self.cells[-1] = self.cells[1], self.cells[-2]
        self.inner[:] += rate * (self.cells[2:] - 2.0 * self.cells[1:-1] + self.cells[:-2])
        self.age += 1


@program(inputs=[(vec(5), 0.2, 3), (vec(1, 1), 0.3, 2), (vec(3, 2), 0.1, 0)], wrt=(0, 1))
def grid_object_until_old(x, rate, age):
    grid = Grid(x)
    while True:
        if grid.age >= age:
            break
        grid.step(rate)
        if grid.age == 2:
            grid.inner[0] *= 2.0
    return np.sum(grid.inner ** 2) + rate


def smooth(levels, k):
    """Down and up again through coarser and coarser arrays."""
    fine = levels[k]
    if len(fine) < 3:
        fine *= 0.5
        return
    coarse = 0.5 * (fine[:-1:2] + fine[1::2])
    levels.append(coarse)
    smooth(levels, k + 1)
    fine[:-1:2] += levels[k + 1]
    fine[1::2] -= 0.5 * levels[k + 1]


@program(inputs=[(vec(8), 2), (vec(1, 1), 1), (vec(4, 2), 0)])
def multigrid_by_recursion(x, cycles):
    levels = [x * x]
    for _ in range(cycles):
        smooth(levels, 0)
        assert len(levels) >= 1
        del levels[1:]
    return np.sum(levels[0] * x)


@program(inputs=[(mat(3, 3), 4), (mat(1, 1, 1), 2), (mat(2, 2, 2), 0)])
def spiral_of_writes(A, n):
    B = A + 2.0
    steps = 0
    for i in range(len(B)):
        for j in range(len(B)):
            if steps >= n:
                break
            if (i + j) % 2:
                B[i, j] = B[j, i] * A[0, 0]
                continue
            B[i, j:] *= 1.1
            steps += 1
        else:
            B[:, i] -= 0.3 * B[:, 0]
    return np.sum(B * B)


@program(inputs=[(vec(6), 2), (vec(1, 1), 1), (vec(3, 2), 3)])
def window_generator(x, width):
    def windows(y):
        for k in range(len(y) - width + 1):
            yield k, y[k:k + width]

    y = x * 1.0
    for k, w in windows(y):
        w[0] = np.sum(w) * 0.5
        if k > 1:
            w[-1] += x[k]
    return np.sum(y * y) + x[0]


@program(inputs=[(vec(5), 2), (vec(1, 1), 1), (np.zeros(0), 2)])
def pairwise_sweeps(x, sweeps):
    y = x + 1.0
    for sweep in range(sweeps):
        for a, b in zip(range(len(y)), range(1, len(y))):
            y[a], y[b] = 0.5 * (y[a] + y[b]), y[b] * y[a]
        y *= 0.9 if sweep else 1.1
    total = 0.0
    for v in y:
        total += v * v
    return total + np.sum(x)


def half_step(old, new, k):
    """Writes `new` from `old`."""
    new[1:-1] = old[1:-1] + k * (old[2:] - 2.0 * old[1:-1] + old[:-2])
    new[0], new[-1] = old[0] * 0.5, old[-1] * 0.5


@program(inputs=[(vec(6), 0.1, 3), (vec(1, 1), 0.2, 1), (vec(3, 2), 0.3, 0)], wrt=(0, 1))
def buffers_swapped_round_a_callee(x, k, steps):
    old, new = x.copy(), np.zeros(len(x))
    worst = 0.0
    for step in range(steps):
        half_step(old, new, k)
        if step % 2:
            new *= 0.9
        old, new = new, old
        worst += old[0] * old[-1]
    return np.sum(old * old) + worst


@program(inputs=[(mat(4, 4), 2), (mat(1, 1, 1), 1), (mat(2, 2, 3), 2)])
def blocks_by_views(A, size):
    B = A.copy()
    for i in range(0, len(A), size):
        rows = B[i:i + size]
        for j in range(0, len(A), size):
            block = rows[:, j:j + size]
            block += 0.1 * np.sum(block)
            block[0] *= B[0, 0]
        diagonal = B.reshape(-1)
        diagonal[i] -= 1.0
    return np.sum(B * B)
