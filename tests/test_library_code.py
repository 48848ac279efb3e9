"""Functions of libraries that are plain Python, and are followed like the user's own."""
import colorsys
import statistics

import numpy as np
import pytest
from numpy.polynomial import chebyshev, hermite, polynomial

from harness import check_program

linalg = pytest.importorskip("scipy.linalg")
optimize = pytest.importorskip("scipy.optimize")
distance = pytest.importorskip("scipy.spatial.distance")


def colours(x):
    h, s, v = colorsys.rgb_to_hsv(*x)
    r, g, _ = colorsys.hls_to_rgb(h * 0.7, 0.4, s)
    return h + 2 * s + v + r * g + sum(colorsys.rgb_to_yiq(*x))


def series(x):
    product = polynomial.polymul(x, polynomial.polyadd(x, [1.0, 2.0]))
    return polynomial.polyval(0.7, product) + chebyshev.chebval(x, [1.0, 2.0, 3.0]).sum() \
        + polynomial.polyder(x) @ polynomial.polyfromroots(x[1:])[1:] + hermite.hermval(0.2, x)


def distances(x):
    y = [1.0, 2.0, 4.0]
    return distance.euclidean(x, y) * distance.cosine(x, y) + distance.cityblock(x, y) + distance.minkowski(x, y, 3)


def statistics_of_pairs(x):
    line = statistics.linear_regression([0.0, 1.0, 3.0], list(x))
    return line.slope * line.intercept + statistics.correlation(list(x), [1.0, 2.0, 4.0]) \
        + statistics.covariance(list(x), [1.0, 2.0, 4.0]) + statistics.median_low([float(v) for v in x])


def matrices(x):
    return np.linalg.det(linalg.circulant(x)) + np.sum(linalg.companion([1.0, *x]) ** 2) \
        + linalg.norm(x, 1) * optimize.rosen(x) + optimize.rosen_der(x) @ x \
        + np.sum(np.array(x[0], ndmin=1) * np.array(x, ndmin=2))


@pytest.mark.parametrize("f", [colours, series, distances, statistics_of_pairs, matrices])
def test_libraries_in_plain_python(f):
    check_program(f, (np.array([0.3, 0.6, 0.2]),), (0,))
