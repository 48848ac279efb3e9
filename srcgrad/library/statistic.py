"""statistics: the averages and spreads of numbers."""
from __future__ import annotations

import math
import statistics

from srcgrad.library.registry import equivalent


@equivalent(statistics.mean, statistics.fmean, count=1)
def mean(data):
    items = list(data)
    if len(items) < 1:
        raise statistics.StatisticsError("mean requires at least one data point")
    return sum(items) / len(items)


@equivalent(statistics.variance, count=1)
def variance(data):
    items = list(data)
    if len(items) < 2:
        raise statistics.StatisticsError("variance requires at least two data points")
    middle = sum(items) / len(items)
    return sum([(item - middle) ** 2 for item in items]) / (len(items) - 1)


@equivalent(statistics.pvariance, count=1)
def pvariance(data):
    items = list(data)
    if len(items) < 1:
        raise statistics.StatisticsError("pvariance requires at least one data point")
    middle = sum(items) / len(items)
    return sum([(item - middle) ** 2 for item in items]) / len(items)


@equivalent(statistics.stdev, count=1)
def stdev(data):
    return math.sqrt(variance(data))


@equivalent(statistics.pstdev, count=1)
def pstdev(data):
    return math.sqrt(pvariance(data))


@equivalent(statistics.median)
def median(data):
    items = sorted(data)
    n = len(items)
    if n == 0:
        raise statistics.StatisticsError("no median for empty data")
    if n % 2 == 1:
        return items[n // 2]
    return (items[n // 2 - 1] + items[n // 2]) / 2


@equivalent(statistics.geometric_mean)
def geometric_mean(data):
    items = list(data)
    if len(items) < 1:
        raise statistics.StatisticsError("Must have a non-empty dataset")
    return math.exp(sum([math.log(item) for item in items]) / len(items))


@equivalent(statistics.harmonic_mean, count=1)
def harmonic_mean(data):
    items = list(data)
    if len(items) < 1:
        raise statistics.StatisticsError("harmonic_mean requires at least one data point")
    return len(items) / sum([1 / item for item in items])


@equivalent(statistics.correlation, count=2)
def correlation(x, y):
    x, y = list(x), list(y)
    if len(x) != len(y) or len(x) < 2:
        raise statistics.StatisticsError("correlation requires two data sets of the same length, of at least two")
    x_middle, y_middle = sum(x) / len(x), sum(y) / len(y)
    both = sum([(a - x_middle) * (b - y_middle) for a, b in zip(x, y)])
    x_squares, y_squares = sum([(a - x_middle) ** 2 for a in x]), sum([(b - y_middle) ** 2 for b in y])
    return both / math.sqrt(x_squares * y_squares)


@equivalent(statistics.linear_regression, count=2)
def linear_regression(x, y):
    x, y = list(x), list(y)
    if len(x) != len(y) or len(x) < 2:
        raise statistics.StatisticsError("linear regression requires two data sets of the same length, of at least two")
    x_middle, y_middle = sum(x) / len(x), sum(y) / len(y)
    slope = sum([(a - x_middle) * (b - y_middle) for a, b in zip(x, y)]) / sum([(a - x_middle) ** 2 for a in x])
    return statistics.LinearRegression(slope=slope, intercept=y_middle - slope * x_middle)
