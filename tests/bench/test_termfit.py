# SPDX-License-Identifier: GPL-3.0-or-later
"""Fits what is known: planted costs come back, and no change of the costs that is allowed makes a fit better."""
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True
from termfit import deviations, fit, modelled, solve  # noqa: E402


def made_points(rng, costs, noise):
    """A grid of calls, ranks and processes as it is measured, with figures that the costs give."""
    points = []
    for calls in (2.5e5, 1e6, 4e6):
        for ranks in (1e2, 1e3, 1e4):
            for processes in (1, 2, 4):
                terms = [1, calls / processes, ranks / processes, calls, ranks][:len(costs)]
                points.append((terms, modelled(costs, terms) * (1 + rng.uniform(-noise, noise))))
    return points


def loss(costs, points):
    return sum(deviation ** 2 for deviation in deviations(costs, points))


class FitTest(unittest.TestCase):
    def test_solves_equations(self):
        self.assertEqual(solve([[0.0, 2.0], [4.0, 0.0]], [6.0, 8.0]), [2.0, 3.0])
        self.assertIsNone(solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 2.0]))

    def test_planted_costs_come_back(self):
        rng = random.Random(1)
        for _ in range(50):
            costs = [rng.choice((0.0, 5e6)), rng.uniform(100, 5000), rng.choice((0.0, rng.uniform(1e3, 1e5))),
                     rng.choice((0.0, rng.uniform(1, 500))), rng.choice((0.0, rng.uniform(10, 1e4)))]
            points = made_points(rng, costs, 0)
            found = fit(points)
            self.assertLess(max(abs(d) for d in deviations(found, points)), 1e-6)
            for cost, planted in zip(found, costs):
                self.assertAlmostEqual(cost, planted, delta=1e-3 * planted + 1e-6 * max(costs))

    def test_no_allowed_change_is_better(self):
        """A second way to know the least: a cost above zero is where the loss is level, one of zero where it rises."""
        rng = random.Random(2)
        zeros = 0
        for _ in range(50):
            costs = [rng.choice((0.0, 1e6)), rng.uniform(100, 5000), rng.uniform(0, 1e5), rng.choice((0.0, 50.0)), 0.0]
            points = made_points(rng, costs, 0.2)
            found = fit(points)
            self.assertGreaterEqual(min(found), 0)
            least = loss(found, points)
            for at in range(len(found)):
                zeros += found[at] == 0
                # A change of the cost that moves the model by a thousandth of the first figure that has the term.
                step = 1e-3 * points[0][1] / points[0][0][at]
                for change in (step, -step):
                    other = list(found)
                    other[at] += change
                    if other[at] >= 0:
                        self.assertGreaterEqual(loss(other, points), least * (1 - 1e-9))
        self.assertGreater(zeros, 20)  # costs that would be negative were met

    def test_terms_that_say_the_same(self):
        points = [([x, 2 * x], 6.0 * x) for x in (1.0, 2.0, 3.0)]
        self.assertAlmostEqual(modelled(fit(points), [5.0, 10.0]), 30.0)


if __name__ == "__main__":
    unittest.main()
