# SPDX-License-Identifier: GPL-3.0-or-later
"""How analysis by several processes grows with ranks, calls and processes: made runs, used by script/bench --scale."""
import csv
import io
import os
import platform
import re
import shutil
import subprocess
import sys

CALLS = 500_000  # of a run, whatever its ranks
RANKS = (100, 1_000, 10_000, 100_000)
LONG_CALLS = 10_000_000  # of a run whose ranks have at least a hundred calls each
RUNS = 3  # of which the median counts; of long ones one
PROCESSES = (1, 2, 4)
PATTERNS = ("halo2d", "cg", "fft", "wavefront")
CALLS_A_STEP = {"halo2d": 10, "cg": 2, "fft": 1, "wavefront": 4}


class Run:
    """One call of simulate: what its parts took."""

    def __init__(self, output):
        rows = list(csv.DictReader(io.StringIO(output)))
        self.calls = int(rows[0]["calls"])
        self.parts = {row["part"]: int(row["cpu_ns"]) for row in rows}
        analysis = [row for row in rows if row["part"] != "made"]  # making the run is no part of it
        self.cpu = sum(int(row["cpu_ns"]) for row in analysis)
        self.wall = sum(int(row["wall_ns"]) for row in analysis)
        self.busiest = sum(int(row["busiest_ns"]) for row in analysis)
        self.sent = sum(int(row["bytes_sent"]) for row in rows)
        self.memory = int(rows[0]["peak_memory"])

    def ns_a_call(self):
        return self.cpu / self.calls


def simulate(build, pattern, ranks, calls, processes, launcher=None, seed=1):
    steps = max(1, calls // (CALLS_A_STEP[pattern] * ranks))
    words = ["simulate", "--pattern", pattern, "--ranks", str(ranks), "--steps", str(steps), "--seed", str(seed), "--csv"]
    if launcher:
        command = launcher + ["-n", str(processes), os.path.join(build, "app", "longpole-mpi")] + words
    else:
        command = [os.path.join(build, "app", "longpole")] + words + ["--processes", str(processes)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} exited with {done.returncode}: an answer is not the planted one, or it failed")
    return Run(done.stdout)


def middle(runs, key):
    return sorted(runs, key=key)[len(runs) // 2]


def measured(build, *arguments, **options):
    """The median run by CPU time."""
    return middle([simulate(build, *arguments, **options) for _ in range(RUNS)], Run.ns_a_call)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        name = re.search(r"model name\s*: (.*)", file.read())
    return f"{name.group(1) if name else platform.machine()}, {os.cpu_count()} processors, {platform.system()}"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n\n"


def mpi_launcher():
    """How to start longpole-mpi here, or None; more processes than processors are meant."""
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    return mpirun and [mpirun, "--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def by_ranks(build, figure):
    rows = []
    for pattern in PATTERNS:
        runs = [measured(build, pattern, ranks, CALLS, 1) for ranks in RANKS]
        for ranks, run in zip(RANKS, runs):
            figure(f"scale.{pattern}.{ranks}_ranks", run.ns_a_call(), "ns/call")
        rows.append([pattern] + [f"{run.ns_a_call():.0f} ns, {run.memory / 2**20:.0f} MB" for run in runs])
    return table(["pattern"] + [f"{ranks:,} ranks" for ranks in RANKS], rows)


def by_ranks_of_long_runs(build, figure):
    rows = []
    for pattern in PATTERNS:
        runs = [simulate(build, pattern, ranks, LONG_CALLS, 1) for ranks in RANKS]
        least = min(run.ns_a_call() for run in runs)
        for ranks, run in zip(RANKS, runs):
            figure(f"scale.{pattern}.{ranks}_ranks_long", run.ns_a_call(), "ns/call")
        rows.append([pattern] + [f"{run.ns_a_call():.0f} ns, {run.memory / 2**20:.0f} MB" for run in runs]
                    + [f"{max(run.ns_a_call() for run in runs) / least:.2f}"])
    return table(["pattern"] + [f"{ranks:,} ranks" for ranks in RANKS] + ["most / least"], rows)


def by_parts(build):
    runs = [(pattern, measured(build, pattern, 1_000, CALLS, 1)) for pattern in PATTERNS]
    parts = list(runs[0][1].parts)
    return table(["pattern"] + parts,
                 [[pattern] + [f"{run.parts[part] / run.calls:.0f} ns" for part in parts] for pattern, run in runs])


def by_calls(build, figure):
    rows = []
    for pattern in PATTERNS:
        once, twice = (measured(build, pattern, 1_000, calls, 1) for calls in (CALLS, 2 * CALLS))
        figure(f"scale.{pattern}.twice_the_calls", twice.cpu / once.cpu, "x")
        rows.append([pattern, f"{once.cpu / 1e9:.2f} s", f"{twice.cpu / 1e9:.2f} s", f"{twice.cpu / once.cpu:.2f}"])
    return table(["pattern", f"{CALLS:,} calls", f"{2 * CALLS:,} calls", "ratio"], rows)


def by_processes(build, figure, launcher):
    rows = []
    for pattern in PATTERNS:
        runs = [measured(build, pattern, 1_000, CALLS, processes, launcher=launcher) for processes in PROCESSES]
        for processes, run in zip(PROCESSES, runs):
            figure(f"scale.{pattern}.{processes}_processes", run.ns_a_call(), "ns/call")
        rows.append([pattern] + [f"{run.busiest / 1e9:.2f} s, {run.memory / 2**20:.0f} MB, {run.sent / run.calls:.1f} B"
                                 for run in runs])
    return table(["pattern"] + [f"{processes} process{'es' * (processes > 1)}" for processes in PROCESSES], rows)


def bench_scale(build, figure, file):
    """Prints figures; `file` gets the tables."""
    text = f"Machine: {machine()}. Medians of {RUNS} runs.\n\n"
    text += f"CPU time a call and peak memory, one process, {CALLS:,} calls whatever the ranks:\n\n" + by_ranks(build, figure)
    text += f"The same of {LONG_CALLS:,} calls, one run each:\n\n" + by_ranks_of_long_runs(build, figure)
    text += "Where it goes, 1,000 ranks:\n\n" + by_parts(build)
    text += "Twice the calls, 1,000 ranks:\n\n" + by_calls(build, figure)
    if launcher := mpi_launcher():
        text += ("Processes of `longpole-mpi`: CPU time of the busiest, peak memory of the largest, bytes sent a call:\n\n"
                 + by_processes(build, figure, launcher))
    if file:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
