# SPDX-License-Identifier: GPL-3.0-or-later
"""What analysis by several processes will take: sums of terms fitted to made runs; used by script/bench --scale-model."""
import statistics

from scalefigures import RUNS, machine, measured, mpi_launcher, table
from termfit import deviations, fit, modelled

PATTERNS = ("halo2d", "cg", "wavefront")  # transposes cost about what rows that meet do
FITTED_CALLS = (100_000, 400_000)
FITTED_RANKS = (100, 1_000, 10_000)
FITTED_PROCESSES = (1, 2, 4, 8)
# Beyond what is fitted in one direction each, so that what the model says there can be wrong: ranks, calls, processes.
CHECKED = ((40_000, 400_000, 1), (40_000, 400_000, 4), (1_000, 1_000_000, 4), (1_000, 400_000, 16))
# Runs that nobody made.
PREDICTED = ((10_000, 10**8, 1), (10_000, 10**8, 100), (10_000, 10**9, 100), (100_000, 10**9, 100),
             (100_000, 10**9, 1_000), (1_000_000, 10**9, 1_000), (1_000_000, 10**9, 10_000))


def shared_terms(ranks, calls, processes):
    return [1, calls / processes, ranks / processes, calls, ranks]


def traffic_terms(ranks, calls, processes):
    return [calls * (1 - 1 / processes), ranks * (1 - 1 / processes), calls * (processes - 1), ranks * (processes - 1)]


SHARED_HEADS = ["each process", "a call of its own", "a rank of its own", "a call of the run", "a rank of the run"]
TRAFFIC_HEADS = ["a call that leaves", "a rank that leaves", "a call, to each other process",
                 "a rank, to each other process"]


def in_time(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}" if ns < 999.5 * size else f"{ns / size:,.0f} {unit}"
    return f"{ns:.3g} ns" if ns else "0"


def in_bytes(count):
    for unit, size in (("TB", 2**40), ("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if count >= size:
            return f"{count / size:.3g} {unit}" if count < 999.5 * size else f"{count / size:,.0f} {unit}"
    return f"{count:.3g} B" if count else "0"


class Quantity:
    """One of the figures that are modelled."""

    def __init__(self, name, title, value, terms, heads, shown):
        self.name, self.title, self.value, self.terms, self.heads, self.shown = name, title, value, terms, heads, shown


QUANTITIES = (
    Quantity("time", "CPU time of the busiest process", lambda run: run.busiest, shared_terms, SHARED_HEADS, in_time),
    Quantity("memory", "Peak memory of the largest process", lambda run: run.memory, shared_terms, SHARED_HEADS, in_bytes),
    Quantity("traffic", "Bytes sent by all processes", lambda run: run.sent, traffic_terms, TRAFFIC_HEADS, in_bytes),
)


class Point:
    """A run with what it took."""

    def __init__(self, pattern, ranks, processes, run):
        self.pattern, self.ranks, self.processes, self.run = pattern, ranks, processes, run

    def fitted(self, quantity):
        """Terms and figure; none of what one process sends to nobody."""
        return quantity.terms(self.ranks, self.run.calls, self.processes), quantity.value(self.run)


class Model:
    """The costs of one pattern, and how well they say what was measured."""

    def __init__(self, quantity, points):
        fitted = [pair for pair in (point.fitted(quantity) for point in points) if pair[1] > 0]
        self.quantity = quantity
        self.costs = fit(fitted)
        self.wrong = [abs(deviation) for deviation in deviations(self.costs, fitted)]

    def at(self, ranks, calls, processes):
        return modelled(self.costs, self.quantity.terms(ranks, calls, processes))

    def beside(self, point):
        """Measured and modelled, and by how much the model is off."""
        figure, said = self.quantity.value(point.run), self.at(point.ranks, point.run.calls, point.processes)
        if not figure:
            return self.quantity.shown(figure)
        return f"{self.quantity.shown(figure)} / {self.quantity.shown(said)}, {100 * (said / figure - 1):+.0f} %"


def measure(build, launcher, pattern, ranks, calls, processes):
    return Point(pattern, ranks, processes, measured(build, pattern, ranks, calls, processes, launcher=launcher))


def costs_table(quantity, models):
    rows = []
    for pattern in PATTERNS:
        model = models[pattern, quantity.name]
        rows.append([pattern] + [quantity.shown(cost) for cost in model.costs]
                    + [f"{100 * statistics.median(model.wrong):.0f} %, {100 * max(model.wrong):.0f} %"])
    return table(["pattern"] + quantity.heads + ["off by: median, most"], rows)


def beside_table(quantity, models, fitted):
    rows = []
    for pattern in PATTERNS:
        for ranks in FITTED_RANKS:
            for calls in FITTED_CALLS:
                row = [point for asked, point in fitted if asked[:3] == (pattern, ranks, calls)]
                rows.append([f"{pattern}, {ranks:,} ranks, {row[0].run.calls:,} calls"]
                            + [models[pattern, quantity.name].beside(point) for point in row])
    return table(["run"] + [f"{count} process{'es' * (count > 1)}" for count in FITTED_PROCESSES], rows)


def checked_table(models, checked):
    return table(["run", "processes"] + [quantity.title for quantity in QUANTITIES],
                 [[f"{point.pattern}, {point.ranks:,} ranks, {point.run.calls:,} calls", str(point.processes)]
                  + [models[point.pattern, quantity.name].beside(point) for quantity in QUANTITIES] for point in checked])


def predicted_table(models):
    rows = []
    for pattern in PATTERNS:
        for ranks, calls, processes in PREDICTED:
            said = [models[pattern, quantity.name].at(ranks, calls, processes) for quantity in QUANTITIES]
            rows.append([f"{pattern}, {ranks:,} ranks, {calls:.0e} calls".replace("e+0", "e"), f"{processes:,}",
                         in_time(said[0]), in_bytes(said[1]), in_bytes(said[2] / processes)])
    return table(["run", "processes", "CPU time of the busiest", "memory of the largest", "sent by each"], rows)


def halves_table(models):
    """From how many processes on most of what a process does is not divided by their number, for many calls."""
    rows = []
    for pattern in PATTERNS:
        row = [pattern]
        for quantity in QUANTITIES[:2]:
            _, own, _, whole, _ = models[pattern, quantity.name].costs
            row.append(f"{own / whole:,.0f}" if whole else "never")
        rows.append(row)
    return table(["pattern", "CPU time", "memory"], rows)


HEAD = """# A model of what analysis by several processes takes

<!-- Written by script/bench --scale-model. -->

Runs made by `longpole-mpi simulate` ([what they are](scale.md)) are measured, and sums of terms are fitted to what they
took: what each process needs anyway, what it needs for each call and rank that it hosts, and what it needs for each call
and rank of the whole run, however many processes there are. Costs are those that make the sum of squared relative
deviations least; none may be negative. Three kinds of figures follow:

- **Measured**: a run of this machine, {machine}; {runs}. More processes than
  processors take turns, so CPU time is that of the process which used most, not the time that passes.
- **Modelled**: what the fitted sum gives for the same run, and by how much that is too much or too little.
- **Predicted**: what the sum gives for runs that nobody made.

The model knows no network: what processes wait for each other comes on top, `longpole-mpi selftest` measures how long a
hop from one to the next takes. Where ranks follow each other in one chain, as in `wavefront`, each change of process in
the chain is a hop.
"""


def report(models, fitted, checked):
    text = HEAD.format(machine=machine(), runs=f"medians of {RUNS} runs" if RUNS > 1 else "one run each")
    text += "\n## What things cost\n\n"
    for quantity in QUANTITIES:
        text += f"{quantity.title}:\n\n" + costs_table(quantity, models)
    text += ("A call or rank of the whole run is what does not become less with more processes. From so many processes "
             "on it is\nmost of what each does for the calls:\n\n" + halves_table(models))
    text += ("## Beyond what was fitted\n\nThese runs were measured and not fitted: four times the ranks, twice the calls "
             "and the processes. Measured / modelled,\nand by how much the model is off:\n\n")
    text += checked_table(models, checked)
    text += ("## Predicted, not measured\n\nNobody made these runs. The model goes up to a hundred times beyond the "
             "ranks and a thousand times beyond the calls and\nprocesses that were measured: where it was off "
             "above, these can be off by more.\n\n")
    text += predicted_table(models)
    text += "## Measured and modelled\n\n"
    for quantity in QUANTITIES:
        text += f"{quantity.title}, measured / modelled:\n\n" + beside_table(quantity, models, fitted)
    return text.rstrip() + "\n"


def bench_scale_model(build, figure, file):
    """Prints how far each fit is off; `file` gets the page."""
    launcher = mpi_launcher()
    if not launcher:
        print("scale.model: skipped, there is no mpirun")
        return
    fitted = [((pattern, ranks, calls, count), measure(build, launcher, pattern, ranks, calls, count))
              for pattern in PATTERNS for ranks in FITTED_RANKS for calls in FITTED_CALLS for count in FITTED_PROCESSES]
    checked = [measure(build, launcher, pattern, *where) for pattern in PATTERNS for where in CHECKED]
    models = {}
    for pattern in PATTERNS:
        points = [point for asked, point in fitted if asked[0] == pattern]
        for quantity in QUANTITIES:
            model = models[pattern, quantity.name] = Model(quantity, points)
            figure(f"scale.model.{pattern}.{quantity.name}_off", 100 * statistics.median(model.wrong), "%", 20)
    if file:
        with open(file, "w", encoding="utf-8") as out:
            out.write(report(models, fitted, checked))
