"""Time stepping of partial differential equations, and other stencils."""
import numpy as np

from corpus.registry import mat, program, vec


@program(inputs=[(vec(6), 0.1, 0.1, 3), (vec(2, 1), 0.2, 0.05, 2), (vec(1, 2), 0.2, 0.05, 0)], wrt=(0, 1))
def heat_rod(u, kappa, dt, steps):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += kappa * dt * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    u *= 1.0 + kappa
    return np.sum(u * u)


@program(inputs=[(vec(6), 0.05, 0.01, 4), (vec(3, 1), 0.1, 0.02, 0),
                 (vec(3, 1).reshape(3, 1), 0.1, 0.02, 1)], wrt=(0, 1))
def viscous_burgers(u, nu, dt, steps):
    dx = 1.0 / len(u)
    u = u.copy()
    energy = 0.0
    for t in range(steps):
        flux = 0.5 * u * u
        u[1:-1] += nu * dt / dx ** 2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - dt / (2.0 * dx) * (flux[2:] - flux[:-2])
        u[0] = u[-2]
        u[-1] = u[1]
        if t % 2 == 0:
            energy += dt * np.sum(u * u)
    return energy + np.sum(u[len(u) // 2]) + nu


@program(inputs=[(vec(7), 0.5, 3), (vec(1, 1), 0.9, 1)], wrt=(0, 1))
def upwind_advection(q, c, steps):
    n = q.size
    old = q.copy()
    for _ in range(steps):
        new = np.zeros(n)
        for i in range(n):
            new[i] = old[i] - c * (old[i] - old[i - 1])
        old = new
    mass = np.sum(old) / n
    old = old - 0.5 * c * mass
    return np.sum(old ** 2) + mass


@program(inputs=[(mat(4, 5), 2), (mat(3, 3, 1), 1), (mat(1, 3, 2), 1)])
def gauss_seidel_2d(A, sweeps):
    A = A.copy()
    m, n = A.shape
    for sweep in range(sweeps):
        for i in range(1, m - 1):
            for j in range(1, n - 1):
                A[i, j] = 0.2 * (A[i - 1, j] + A[i, j - 1] + A[i, j] + A[i + 1, j] + A[i, j + 1])
        A *= 1.01
    return np.sum(A * A)


@program(inputs=[(mat(4, 4), 0.1, 2), (mat(3, 1, 3), 0.2, 1)], wrt=(0, 1))
def jacobi_two_arrays(f, h, sweeps):
    a = np.zeros_like(f)
    b = f * 1.0
    for _ in range(sweeps):
        a[1:-1, 1:-1] = 0.25 * (b[:-2, 1:-1] + b[2:, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:]) - h * h * f[1:-1, 1:-1]
        a[0], a[-1] = b[0], b[-1]
        b = a + h * b
    residual = b - f
    for row in residual:
        h = h + np.sum(row * row)
    return h


@program(inputs=[(vec(5), vec(4, 1), 3), (vec(2, 2), vec(1, 3), 1)], wrt=(0, 1))
def staggered_waves(e, h, steps):
    e, h = e.copy(), h.copy()
    t = 0
    while t < steps:
        h += 0.5 * (e[1:] - e[:-1])
        e[1:-1] += 0.5 * (h[1:] - h[:-1])
        e[0] = np.sin(0.3 * t) * e[0]
        t += 1
    return np.sum(e * e) + np.sum(h * h)


@program(inputs=[(vec(5), 0.7, 3), (vec(1, 1), 0.4, 2)], wrt=(0, 1))
def leapfrog_wave(u0, c, steps):
    prev = u0
    cur = u0 * 1.0
    track = 0.0
    for k in range(steps):
        lap = np.roll(cur, 1) - 2.0 * cur + np.roll(cur, -1)
        new = 2.0 * cur - prev + c * c * lap
        prev = cur
        cur = new
        track += cur[k % len(cur)]
    if track > 2.0:
        track = 2.0 + np.log(track - 1.0)
    return track + np.sum(cur ** 2) * 0.1 + 0.5 * c


@program(inputs=[(mat(4, 4, 1, 0.2, 0.8), mat(4, 4, 2, 0.1, 0.4), 2),
                 (mat(1, 2, 3, 0.2, 0.8), mat(1, 2, 4), 1)], wrt=(0, 1))
def gray_scott(u, v, steps):
    u = u.copy()
    v = v.copy()
    for _ in range(steps):
        lu = -4.0 * u
        lv = -4.0 * v
        for axis in (0, 1):
            for shift in (-1, 1):
                lu += np.roll(u, shift, axis=axis)
                lv += np.roll(v, shift, axis=axis)
        reaction = u * v * v
        u += 0.16 * lu - reaction + 0.06 * (1.0 - u)
        v += 0.08 * lv + reaction - 0.12 * v
    return np.sum(v * u) + np.sum(v ** 2)


@program(inputs=[(vec(5), 0.3, 2), (vec(1, 1), 0.5, 2), (vec(2, 3), 0.5, 1)], wrt=(0, 1))
def implicit_diffusion(u, r, steps):
    n = len(u)
    c = np.zeros(n)
    d = np.zeros(n)
    for _ in range(steps):
        c[0] = -r / (1.0 + 2.0 * r)
        d[0] = u[0] / (1.0 + 2.0 * r)
        for i in range(1, n):
            m = 1.0 + 2.0 * r + r * c[i - 1]
            c[i] = -r / m
            d[i] = (u[i] + r * d[i - 1]) / m
        u = d.copy()
        for i in range(n - 2, -1, -1):
            u[i] = d[i] - c[i] * u[i + 1]
    return np.sum(u ** 2) + u[0]


@program(inputs=[(vec(6), True, 2), (vec(2, 1), False, 2), (vec(1, 1), True, 1)])
def boundary_conditions(u, periodic, steps):
    u = u * 1.0
    for s in range(steps):
        g = np.zeros(len(u) + 2)
        g[1:-1] = u
        if periodic:
            g[0] = u[-1]
            g[-1] = u[0]
        else:
            g[0] = -u[0]
            if s > 0:
                g[-1] = u[-1] ** 2
        u = u + 0.25 * (g[2:] - 2.0 * u + g[:-2])
    return np.sum(u ** 4)


@program(inputs=[(vec(6), 2), (vec(4, 1), 0), (vec(1, 2), 1)])
def lax_wendroff_with_limiter(u, steps):
    dt = 0.4
    for n in range(steps):
        up = np.concatenate((u[1:], u[:1]))
        um = np.concatenate((u[-1:], u[:-1]))
        r = (u - um) / (up - u + 3.0)
        phi = np.zeros(len(u))
        for i in range(len(u)):
            if r[i] > 0.1:
                phi[i] = min(r[i], 1.0)
            elif r[i] > -0.1:
                phi[i] = r[i] * r[i]
        u = u - dt * (u - um) - 0.5 * dt * (1.0 - dt) * phi * (up - u)
        dt *= 0.9
    return np.sum(u * u) + np.max(u)


@program(inputs=[(mat(3, 4), vec(3, 1)), (mat(1, 1, 2), vec(1, 3))], wrt=(0, 1))
def separable_blur(image, kernel):
    m, n = image.shape
    r = len(kernel)
    padded = np.zeros((m, n + r - 1))
    padded[:, r // 2:r // 2 + n] = image
    rows = np.zeros_like(image)
    for k in range(r):
        rows += kernel[k] * padded[:, k:k + n]
    tall = np.pad(rows, ((r // 2, r - 1 - r // 2), (0, 0)))
    out = np.zeros_like(rows)
    for k in range(r):
        out += kernel[-1 - k] * tall[k:k + m]
    out -= image
    return np.sum(out * out)
