# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits measured figures to a sum of terms, none of which may cost less than nothing."""
import itertools


def solve(matrix, right):
    """The solution of a few linear equations, by elimination with pivots; None where there is not exactly one."""
    size = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        if abs(rows[pivot][column]) < 1e-12:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(column + 1, size):
            share = rows[row][column] / rows[column][column]
            for at in range(column, size + 1):
                rows[row][at] -= share * rows[column][at]
    values = [0.0] * size
    for row in reversed(range(size)):
        rest = sum(rows[row][at] * values[at] for at in range(row + 1, size))
        values[row] = (rows[row][size] - rest) / rows[row][row]
    return values


def scaled(points):
    """Terms of each point as shares of its measured figure, and by how much each term was divided to be about 1."""
    shares = [[term / figure for term in terms] for terms, figure in points]
    scales = [max(abs(row[at]) for row in shares) or 1.0 for at in range(len(shares[0]))]
    return [[value / scale for value, scale in zip(row, scales)] for row in shares], scales


def fit(points):
    """What each term costs, so that the sum over points of (modelled / measured - 1)^2 is the least that costs of zero
    or more give.

    points: (terms, measured figure), figures above zero. So few terms are there that all choices of those which cost
    anything are tried: the best of all is among the plain least squares of the choices without a negative cost."""
    rows, scales = scaled(points)
    count = len(scales)
    best, best_loss = [0.0] * count, float(len(rows))
    for chosen in (c for size in range(1, count + 1) for c in itertools.combinations(range(count), size)):
        matrix = [[sum(row[a] * row[b] for row in rows) for b in chosen] for a in chosen]
        values = solve(matrix, [sum(row[a] for row in rows) for a in chosen])
        if values is None or min(values) < 0:
            continue
        costs = [0.0] * count
        for at, value in zip(chosen, values):
            costs[at] = value
        loss = sum((sum(c * v for c, v in zip(costs, row)) - 1) ** 2 for row in rows)
        if loss < best_loss - 1e-12:
            best, best_loss = costs, loss
    return [cost / scale for cost, scale in zip(best, scales)]


def modelled(costs, terms):
    return sum(cost * term for cost, term in zip(costs, terms))


def deviations(costs, points):
    """By how much of the measured figure the modelled one is too large, of each point."""
    return [modelled(costs, terms) / figure - 1 for terms, figure in points]
