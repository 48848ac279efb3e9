"""Numerical kernels as scientists write them: stencils, factorisations, dynamic programs, particles, finite element."""
import numpy as np

from corpus.registry import mat, program, spd, vec


@program(inputs=[(vec(8), 0.2, 4), (vec(3, 1), 0.1, 2), (vec(2, 2), 0.3, 1)], wrt=(0, 1))
def heat_1d(u0, k, steps):
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[0] = u[1]
    return np.sum(u ** 2)


@program(inputs=[(mat(5, 6), 0.1, 3), (mat(3, 3, 1), 0.2, 1), (mat(4, 1, 2), 0.2, 2)], wrt=(0, 1))
def heat_2d_two_buffers(u0, k, steps):
    u = u0.copy()
    new = u.copy()
    for _ in range(steps):
        new[1:-1, 1:-1] = u[1:-1, 1:-1] + k * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        new[0, :] = new[1, :]
        new[:, -1] = 0.0
        u, new = new, u
        if k > 0.15:
            new *= 0.5
    return np.sum(u * u0)


@program(inputs=[(mat(16, 4).reshape(4, 4, 4), 2), (mat(9, 3, 1).reshape(3, 3, 3), 1), (np.full((1, 1, 1), 0.7), 2)])
def heat_3d_in_place(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1, 1:-1] += 0.05 * (
            u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, :-2, 1:-1]
            + u[1:-1, 1:-1, 2:] + u[1:-1, 1:-1, :-2] - 6.0 * u[1:-1, 1:-1, 1:-1])
    return np.sum(u ** 3)


@program(inputs=[(vec(9), 0.5, 5), (vec(3, 1), 0.9, 1), (vec(4, 2), 0.4, 0)], wrt=(0, 1))
def wave_with_three_levels(u0, c, steps):
    n = len(u0)
    u = np.zeros((3, n))
    u[0] = u0
    u[1, 1:-1] = u0[1:-1] + 0.5 * c ** 2 * (u0[2:] - 2.0 * u0[1:-1] + u0[:-2])
    for t in range(2, steps + 2):
        a, b, d = t % 3, (t - 1) % 3, (t - 2) % 3
        u[a, 1:-1] = 2.0 * u[b, 1:-1] - u[d, 1:-1] + c ** 2 * (u[b, 2:] - 2.0 * u[b, 1:-1] + u[b, :-2])
        u[a, 0] = u[a, -1] = 0.0
    return np.sum(u[(steps + 1) % 3] ** 2)


@program(inputs=[(mat(5, 5), mat(5, 5, 1), 2), (mat(3, 4, 2), mat(3, 4, 3), 3)], wrt=(0, 1))
def gauss_seidel(u, f, sweeps):
    for _ in range(sweeps):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - f[i, j])
    return np.sum(u * u)


@program(inputs=[(mat(5, 5), 0.5, 2), (mat(3, 4, 1), 0.3, 1)], wrt=(0, 1))
def alternating_directions(u, r, steps):
    n, m = u.shape
    for _ in range(steps):
        v = u.copy()
        p = np.zeros(m)
        q = np.zeros(m)
        for i in range(1, n - 1):
            q[0] = v[i, 0]
            for j in range(1, m - 1):
                d = 1.0 + 2.0 * r - r * p[j - 1]
                p[j] = r / d
                q[j] = (r * v[i - 1, j] + (1.0 - 2.0 * r) * v[i, j] + r * v[i + 1, j] + r * q[j - 1]) / d
            for j in range(m - 2, 0, -1):
                u[i, j] = p[j] * u[i, j + 1] + q[j]
        u = u.T.copy()
        n, m = m, n
    return np.sum(u ** 2)


@program(inputs=[(mat(5, 4), vec(3), 3), (mat(2, 2, 1), vec(3, 2), 1), (mat(1, 4, 9), vec(1, 9), 3)], wrt=(0, 1))
def fdtd_2d(hz, source, steps):
    ex = np.zeros_like(hz)
    ey = np.zeros_like(hz)
    for t in range(steps):
        ey[0, :] = source[t % len(source)]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(hz ** 2) + np.sum(ex * ey)


@program(inputs=[(spd(4), mat(4, 4)), (spd(1, 1), mat(1, 1))])
def lu_by_loops(A, W):
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                A[i, k] /= A[k, k]
                A[i, k + 1:] -= A[i, k] * A[k, k + 1:]
    return np.sum(A * W)


@program(inputs=[(spd(4), mat(4, 4)), (spd(1, 2), mat(1, 1)), (spd(2, 3), mat(2, 2))])
def cholesky_by_loops(A, W):
    L = np.zeros_like(A)
    for j in range(len(A)):
        L[j, j] = np.sqrt(A[j, j] - np.sum(L[j, :j] ** 2))
        for i in range(j + 1, len(A)):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    return np.sum(L * W)


@program(inputs=[(np.tril(spd(4)), vec(4)), (spd(1, 1), vec(1, 1))], wrt=(0, 1))
def triangular_solves_by_loops(L, b):
    n = len(b)
    y = np.empty(n)
    for i in range(n):
        y[i] = (b[i] - L[i, :i] @ y[:i]) / L[i, i]
    x = y.copy()
    for i in range(n - 1, -1, -1):
        x[i] -= L[i + 1:, i] @ x[i + 1:]
        x[i] /= L[i, i]
    return np.sum(x * x) + y[-1]


@program(inputs=[(vec(4, 0, -0.4, 0.4),), (vec(1, 1, -0.4, 0.4),), (vec(6, 2, -0.3, 0.3),)])
def durbin(r):
    n = len(r)
    y = np.empty(n)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y * y)


@program(inputs=[(mat(5, 3), mat(5, 3, 1)), (mat(3, 1, 2), mat(3, 1, 3)), (mat(2, 2, 4), mat(2, 2, 5))])
def gram_schmidt_in_place(A, W):
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]))
    for k in range(A.shape[1]):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(Q * W) + np.sum(R ** 2)


@program(inputs=[(np.abs(mat(4, 4)) + 0.1,), (np.abs(mat(1, 1)) + 0.1,), (np.abs(mat(3, 3, 2)) + 0.1,)])
def floyd_warshall(path):
    d = path.copy()
    np.fill_diagonal(d, 0.0)
    for k in range(len(d)):
        d[:] = np.minimum(d, d[:, k, None] + d[None, k])
    return np.sum(d * path)


@program(inputs=[(vec(8), 0.5, 3), (vec(1, 1), 0.3, 2), (vec(5, 2), -0.4, 2)], wrt=(0, 1))
def upwind_with_ghost_cells(rho, c, steps):
    u = np.zeros(len(rho) + 2)
    u[1:-1] = rho
    for _ in range(steps):
        u[0] = u[-2]
        u[-1] = u[1]
        if c > 0:
            u[1:-1] -= c * (u[1:-1] - u[:-2]) * u[1:-1]
        else:
            u[1:-1] -= c * (u[2:] - u[1:-1]) * u[1:-1]
    return np.sum(u[1:-1] ** 2)


@program(inputs=[(mat(5, 5), 0.1, 2), (mat(4, 3, 1), 0.05, 1)], wrt=(0, 1))
def lid_driven_cavity(w, nu, steps):
    dt = 0.05
    psi = np.zeros_like(w)
    for _ in range(steps):
        for _ in range(3):
            psi[1:-1, 1:-1] = 0.25 * (psi[2:, 1:-1] + psi[:-2, 1:-1] + psi[1:-1, 2:] + psi[1:-1, :-2]
                                      + w[1:-1, 1:-1])
        w[:, 0] = -2.0 * psi[:, 1]
        w[:, -1] = -2.0 * psi[:, -2] - 2.0
        w[0, :] = -2.0 * psi[1, :]
        w[-1, :] = -2.0 * psi[-2, :]
        old = w.copy()
        u = psi[1:-1, 2:] - psi[1:-1, :-2]
        v = psi[:-2, 1:-1] - psi[2:, 1:-1]
        w[1:-1, 1:-1] += dt * (
            nu * (old[2:, 1:-1] + old[:-2, 1:-1] + old[1:-1, 2:] + old[1:-1, :-2] - 4.0 * old[1:-1, 1:-1])
            - u * (old[2:, 1:-1] - old[:-2, 1:-1]) - v * (old[1:-1, 2:] - old[1:-1, :-2]))
    return np.sum(w * w) + np.sum(psi)


@program(inputs=[(vec(7, 0, 1.0, 1.5), 3), (vec(3, 1, 1.0, 1.4), 1), (vec(2, 2, 1.0, 1.2), 2), (vec(1, 9), 3)])
def shallow_water(h, steps):
    dt = 0.02
    u = np.zeros(len(h) + 1)
    for k in range(steps):
        u[1:-1] -= dt * 9.81 * (h[1:] - h[:-1])
        u[1:-1] *= 1.0 - 0.01 * np.abs(u[1:-1])
        face = np.where(u[1:-1] > 0, h[:-1], h[1:])
        flux = np.zeros_like(u)
        flux[1:-1] = u[1:-1] * face
        h -= dt * (flux[1:] - flux[:-1])
        if k % 2:
            h[0] += 0.1 * h[-1]
    return np.sum(h ** 2) + np.sum(u)


@program(inputs=[(mat(4, 3), mat(4, 3, 1), vec(4), 2), (mat(1, 2, 2), mat(1, 2, 3), vec(1, 1), 3),
                 (mat(2, 3, 4), mat(2, 3, 5), vec(2, 6), 0)], wrt=(0, 1, 2))
def n_body_leapfrog(pos, vel, mass, steps):
    dt = 0.01
    acc = np.zeros_like(pos)
    for step in range(steps + 1):
        acc[:] = 0.0
        for i in range(len(mass)):
            for j in range(len(mass)):
                if i != j:
                    d = pos[j] - pos[i]
                    r2 = np.sum(d * d) + 0.01
                    acc[i] += mass[j] * d / (r2 * np.sqrt(r2))
        if step < steps:
            vel += dt * acc
            pos += dt * vel
    return 0.5 * np.sum(mass[:, None] * vel ** 2) + np.sum(pos * acc)


@program(inputs=[(vec(4), np.array([[0, 1], [1, 2], [2, 3], [3, 4]])), (vec(1, 1), np.array([[0, 1]]))])
def finite_elements(k, elements):
    n = np.max(elements) + 1
    K = np.zeros((n, n))
    f = np.zeros(n)
    local = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for e in range(len(elements)):
        dofs = elements[e]
        ke = k[e] * local
        K[np.ix_(dofs, dofs)] += ke
        f[dofs] += 0.5 * k[e] ** 2
    K[0, :] = 0.0
    K[:, 0] = 0.0
    K[0, 0] = 1.0
    f[0] = 0.0
    u = np.linalg.solve(K, f)
    return f @ u + np.sum(u)


@program(inputs=[(mat(4, 5), 0.7), (mat(1, 1, 1), 0.5), (mat(3, 1, 2), 1.2)], wrt=(0, 1))
def cumulative_program(cost, gamma):
    n, m = cost.shape
    D = np.full((n + 1, m + 1), 10.0)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best = min(D[i - 1, j], D[i, j - 1] * gamma)
            if D[i - 1, j - 1] < best:
                best = D[i - 1, j - 1]
            D[i, j] = cost[i - 1, j - 1] ** 2 + best
    return D[n, m]


@program(inputs=[(mat(3, 4), vec(3), mat(3, 3)), (mat(2, 1, 1), vec(2, 2), mat(2, 2, 3))], wrt=(0, 1, 2))
def forward_algorithm(emission, start, transition):
    n, steps = emission.shape
    alpha = np.zeros((steps, n))
    alpha[0] = start * np.exp(emission[:, 0])
    for t in range(1, steps):
        for j in range(n):
            alpha[t, j] = np.sum(alpha[t - 1] * np.exp(transition[:, j])) * np.exp(emission[j, t])
        scale = np.sum(alpha[t])
        alpha[t] /= scale
        alpha[t - 1] *= 0.5
    return np.log(np.sum(alpha[-1])) + np.sum(alpha ** 2)


@program(inputs=[(vec(6), 0.3, 2), (vec(2, 1), 0.2, 3), (vec(1, 2), 0.1, 1)], wrt=(0, 1))
def burgers_with_a_limiter(u, nu, steps):
    for k in range(steps):
        left = np.roll(u, 1)
        right = np.roll(u, -1)
        slope = np.where((u - left) * (right - u) > 0, np.minimum(np.abs(u - left), np.abs(right - u)), 0.0)
        slope[u < left] *= -1.0
        face = u + 0.5 * slope
        flux = 0.5 * face * face - nu * (right - u)
        u[1:] -= 0.1 * (flux[1:] - flux[:-1])
        u[0] -= 0.1 * (flux[0] - flux[-1])
    return np.sum(u * u)


@program(inputs=[(mat(4, 4), 3), (mat(1, 1, 1), 2), (mat(2, 3, 2), 1)])
def red_and_black(u, sweeps):
    parity = np.indices(u.shape).sum(axis=0) % 2 == 0
    for k in range(sweeps):
        p = np.pad(u, 1)
        mean = 0.25 * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2])
        mask = parity if k % 2 == 0 else ~parity
        u[mask] = 0.3 * u[mask] + 0.7 * mean[mask] ** 2
    return np.sum(u * u)


@program(inputs=[(vec(5), vec(5, 1), vec(5, 2), vec(5, 3)), (vec(1, 1), vec(1, 2, 2.0, 3.0), vec(1, 3), vec(1, 4))],
         wrt=(0, 1, 2, 3))
def thomas_in_place(a, b, c, d):
    n = len(d)
    b = b + 3.0
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    d[-1] /= b[-1]
    for i in range(n - 2, -1, -1):
        d[i] = (d[i] - c[i] * d[i + 1]) / b[i]
    return np.sum(d * d)


@program(inputs=[(vec(8), 3), (vec(4, 1), 2), (vec(1, 2), 0)])
def haar_transform(x, levels):
    y = x.copy()
    n = len(y)
    for _ in range(levels):
        if n < 2:
            n = 1
        else:
            half = n // 2
            even = y[:n:2].copy()
            odd = y[1:n:2].copy()
            y[:half] = (even[:half] + odd) / np.sqrt(2.0)
            y[half:2 * half] = (even[:half] - odd) / np.sqrt(2.0)
            n = half
    return np.sum(y ** 4)


@program(inputs=[(vec(8), vec(8, 1)), (vec(2, 2), vec(2, 3))], wrt=(0, 1))
def fft_by_butterflies(re, im):
    n = len(re)
    span = n // 2
    while span > 0:
        for start in range(0, n, 2 * span):
            for k in range(span):
                i, j = start + k, start + k + span
                wr, wi = np.cos(np.pi * k / span), -np.sin(np.pi * k / span)
                tr, ti = re[i] - re[j], im[i] - im[j]
                re[i] += re[j]
                im[i] += im[j]
                re[j] = tr * wr - ti * wi
                im[j] = tr * wi + ti * wr
        span //= 2
    return np.sum(re ** 2 * np.arange(n)) + np.sum(im)


@program(inputs=[(mat(3, 2), vec(4), vec(3, 1)), (mat(1, 2, 1), vec(2, 2), vec(1, 3))], wrt=(0, 1, 2))
def particles_in_cells(pos, field, charge):
    n = len(field)
    rho = np.zeros(n)
    for p in range(len(pos)):
        x = (np.abs(pos[p, 0]) * n) % n
        i = int(x)
        f = x - i
        rho[i] += charge[p] * (1.0 - f)
        rho[(i + 1) % n] += charge[p] * f
    rho -= np.mean(rho)
    phi = np.cumsum(rho) * field
    for p in range(len(pos)):
        i = int(np.abs(pos[p, 0]) * n) % n
        pos[p, 1] += phi[i] * charge[p]
        pos[p] *= 0.9
    return np.sum(pos ** 2) + np.sum(phi * rho)


@program(inputs=[(mat(4, 4), 2), (mat(3, 5, 1), 1), (mat(1, 1, 9), 2)])
def game_of_smoothing(A, steps):
    for k in range(steps):
        B = A.copy()
        for di in (-1, 0, 1):
            for dj in (-1, 0, 1):
                if di or dj:
                    B += 0.1 * np.roll(np.roll(A, di, axis=0), dj, axis=1)
        A[...] = B / (1.0 + np.abs(B))
        A[0], A[-1] = A[-1].copy(), A[0].copy()
    return np.sum(A * A)


@program(inputs=[(spd(3), vec(3), 3), (spd(1, 1), vec(1, 1), 1)], wrt=(0, 1))
def conjugate_gradients(A, b, steps):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rs = r @ r
    for _ in range(steps):
        Ap = A @ p
        alpha = rs / (p @ Ap + 1e-9)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        p *= new / (rs + 1e-3)
        p += r
        rs = new
    return np.sum(x * x) + rs


@program(inputs=[(vec(6), 2, 0.05), (vec(2, 1), 3, 0.1), (vec(1, 9), 2, 0.05)], wrt=(0, 2))
def runge_kutta_in_place(y, steps, dt):
    k = np.zeros((4, len(y)))
    for _ in range(steps):
        for s in range(4):
            w = y.copy()
            if s > 0:
                w += (0.5 if s < 3 else 1.0) * dt * k[s - 1]
            k[s, :-1] = w[1:] - w[:-1] ** 2
            k[s, -1] = np.sin(w[0])
        y += dt / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3])
    return np.sum(y * y)


@program(inputs=[(mat(4, 4), vec(4)), (mat(2, 2, 1), vec(2, 1)), (mat(1, 1, 9), vec(1, 9))], wrt=(0, 1))
def gauss_with_pivots(A, b):
    A = A.copy() + 0.3
    b = b.copy()
    n = len(b)
    for k in range(n):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return np.sum(x ** 2)
