# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of Charm++ with the module: what keeping the path costs, and what priorities gain on ten kinds of programs."""
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

from scalefigures import machine, table

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KINDS = ["pipeline", "LU with a panel", "fork and join", "two chains", "stencil", "request and reply",
         "sequence of solves", "wrong priority asked", "nothing to gain", "load-bound"]
WRONG_ASKED = 7  # its source has priorities of its own, which the module is told to take, too
LAUNCH = ["+p4", "+setcpuaffinity", "+CmiSleepOnIdle"]
PAIRS = int(os.environ.get("LONGPOLE_PAIRS", "5"))


def call(*command, **options):
    """What a command printed; it must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, **options)
    if done.returncode:
        sys.exit(f"script/bench: {' '.join(command)} exited with {done.returncode}\n{done.stdout[-2000:]}")
    return done.stdout


def build_programs(charm, longpole, folder):
    module = os.path.join(folder, "module")
    call(longpole, "charm", "--build", charm, "-o", module)
    charmc = os.path.join(charm, "bin", "charmc")
    link = ["-L" + module, "-module", "longpole", "-Wl,--wrap=CqsEnqueueGeneral"]
    for source in ("tests/recorder/charm/programs/kinds", "tests/bench/charm/ring"):
        name = os.path.basename(source)
        for ending in (".ci", ".C"):
            shutil.copy(os.path.join(ROOT, source + ending), folder)
        call(charmc, name + ".ci", cwd=folder)
        call(charmc, "-O2", "-I" + module, "-c", name + ".C", cwd=folder)
        call(charmc, "-language", "charm++", name + ".o", "-o", name, *link, cwd=folder)
    call(charmc, "-language", "charm++", "kinds.o", "-o", "kinds-traced", *link, "-tracemode", "projections", cwd=folder)


def bench_overhead(folder, figure):
    """Nanoseconds a task, without and with its path, on one PE, so that nothing but the computation is measured."""
    rows = []
    for kind, name in ((0, "ring"), (1, "grid")):
        for grain in (0, 300, 1500, 8000, 40000, 200000):
            out = call(os.path.join(folder, "ring"), "+p1", "+longpole-path", str(kind), str(grain), "400", cwd=folder)
            off, on = map(float, re.search(r"ns a task ([0-9.]+) ([0-9.]+)", out).groups())
            if off < 10_000:  # of longer tasks that is less than what two rounds of them differ by
                figure(f"charm.path.{name}.{1e9 / off:.0f}/s", on - off, "ns/task", 120)
            figure(f"charm.path.{name}.{1e9 / off:.0f}/s", (on / off - 1) * 100, "%")
            rows.append((name, off, on))
    return rows


def took(folder, kind, *options):
    out = call(os.path.join(folder, "kinds"), *LAUNCH, str(kind), *options, cwd=folder)
    return float(re.search(r"took ([0-9.]+) ms", out).group(1))


def predicted(folder, longpole, kind):
    """The replay's interval for the advised priorities, and their file; (None, None) where nothing is advised."""
    logs = os.path.join(folder, f"logs{kind}")
    os.makedirs(logs)
    call(os.path.join(folder, "kinds-traced"), *LAUNCH, str(kind), "20", "+traceroot", logs, cwd=folder)
    trace = os.path.join(logs, "kinds-traced.sts")
    file = os.path.join(folder, f"advised{kind}.json")
    call(longpole, "advise", trace, "--priorities", file)
    with open(file, encoding="utf-8") as advised:
        entries = json.load(advised)["entries"]
    if not entries:
        return None, None
    wanted = [word for entry in entries for word in ("--priority", f"{entry['name']}={entry['prio']}")]
    answer = json.loads(call(longpole, "replay", trace, *wanted, "--json"))
    return (answer["gain"] if answer["usable"] else None), file


def kept_gain(decisions):
    """What a run's kept priorities gained: each is held against what was kept before it."""
    time = 1
    for row in decisions:
        if row["decision"] == "kept":
            time = 1 if row["scheme"] == "none" else time * (1 - row["gain"])
    return 1 - time


def median_gain(plain, changed):
    return statistics.median(1 - b / a for a, b in zip(plain, changed))


class Measured:
    """What priorities gain in one kind of program, as shares of the time of an iteration."""

    def __init__(self, name, times, kept, interval):
        self.name, self.interval = name, interval
        self.by_hand = median_gain(times["plain"], times["by hand"])
        self.module = median_gain(times["plain"], times["module"]) if "module" in times else None
        self.kept = statistics.median(kept)
        self.whole = median_gain(times["plain long"], times["auto"])
        # Half of what lies between the quartiles of the pairs of the longer runs.
        quartiles = statistics.quantiles([1 - b / a for a, b in zip(times["plain long"], times["auto"])], n=4)
        self.spread = (quartiles[2] - quartiles[0]) / 2

    def holds(self):
        """Whether the module's priorities gain what was predicted; None where nothing is advised."""
        if self.interval is None or self.module is None:
            return None
        return self.interval[0] <= self.module <= self.interval[1]

    def reaches(self):
        """How much of what priorities by hand gain the program finds by itself; None where that is little."""
        return self.kept / self.by_hand if self.by_hand > 0.05 else None

    def row(self):
        def percent(share):
            return "" if share is None else f"{share * 100:.1f} %"
        interval = f"{self.interval[0] * 100:.1f} to {self.interval[1] * 100:.1f} %" if self.interval else "nothing advised"
        holds = {None: "", True: "inside", False: "outside"}[self.holds()]
        return [self.name, percent(self.by_hand), interval, percent(self.module), holds, percent(self.kept),
                percent(self.whole), f"{self.spread * 100:.1f}"]


def bench_kind(folder, longpole, kind, name):
    interval, file = predicted(folder, longpole, kind)
    as_asked = ["+longpole-as-runtime"] if kind == WRONG_ASKED else []
    auto = ["+longpole-override"] if kind == WRONG_ASKED else []
    ways = {"plain": ["60"], "by hand": ["60", "1"]}
    if file:
        ways["module"] = ["60", "+longpole-priorities", file, *as_asked]
    times = {way: [] for way in [*ways, "auto", "plain long"]}
    kept = []
    log = os.path.join(folder, "auto.jsonl")
    long_ways = {"plain long": ["240"],
                 "auto": ["240", "+longpole-auto", "400ms", "+longpole-auto-log", log, *auto]}
    for pair in range(PAIRS):
        for some in (ways, long_ways):
            order = list(some) if pair % 2 == 0 else list(some)[::-1]
            for way in order:
                times[way].append(took(folder, kind, *some[way]))
        with open(log, encoding="utf-8") as decided:
            kept.append(kept_gain(map(json.loads, decided)))
    return Measured(name, times, kept, interval)


def bench_kinds(folder, longpole, figure):
    measured = []
    for kind, name in enumerate(KINDS):
        one = bench_kind(folder, longpole, kind, name)
        measured.append(one)
        figure(f"charm.{name}.by_hand", one.by_hand * 100, "%")
        figure(f"charm.{name}.auto", one.kept * 100, "%")
    return measured


def summary(measured):
    """The sentences that the table is asked for."""
    advised = [one for one in measured if one.holds() is not None]
    large = [one for one in measured if one.reaches() is not None]
    found = [one for one in large if one.reaches() >= 0.8]
    dear = [one.name for one in measured if one.whole < -(0.02 + one.spread)]
    inside = sum(one.holds() for one in advised)
    text = f"The measured gain of the module lies in the predicted interval in {inside} of {len(advised)} programs with advice.\n"
    text += f"Priorities by hand gain more than 5 % in {len(large)}; by itself the program reaches 80 % of that in {len(found)}.\n"
    return text + ("Nowhere did trying cost more than 2 % beyond the spread of the pairs.\n" if not dear
                   else f"Trying cost more than 2 % beyond the spread of the pairs in: {', '.join(dear)}.\n")


def draw(build, file, title, summary, measures, groups):
    """groups: [(name, [share or None, one for each measure])]."""
    bars = {"title": title, "summary": summary, "measures": measures,
            "groups": [{"name": name, "values": values} for name, values in groups]}
    subprocess.run([os.path.join(build, "tests", "draw_bars"), file], input=json.dumps(bars), text=True, check=True,
                   env=dict(os.environ, QT_QPA_PLATFORM="offscreen"))


def draw_all(build, stem, overhead, gains):
    """overhead: rows (program, tasks a second, share); gains: rows (program, by hand, by the file, by itself)."""
    grouped = {}
    for program, pace, share in overhead:
        grouped.setdefault(program, []).append((f"{program}, {pace}/s", [max(share, 0)]))
    draw(build, stem + "-overhead.png", "What keeping the path costs",
         "time that a task takes more, by tasks a second", ["overhead"],
         [row for rows in grouped.values() for row in rows if row[1][0] < 0.2])
    draw(build, stem + "-gains.png", "What priorities gain", "time that an iteration takes less, medians of pairs",
         ["by hand in the source", "by the module and a file", "by the program itself"],
         [(name, [None if value is None else max(value, 0) for value in values]) for name, *values in gains])


def phase_rows(build):
    out = call(os.path.join(build, "tests", "bench_phases"), "--by-support")
    heads, *rows = [line.split(",") for line in out.splitlines()]
    return (["tasks on the path"] + [f"at least {support} times" for support in heads[1:]],
            [[f"{int(row[0]):,}"] + [f"{cell} ms" for cell in row[1:]] for row in rows])


def bench_charm(build, charm, figure, name):
    """charm: the folder of a Charm++ that was built with tracing; name: a file of Markdown for the tables, or None."""
    longpole = os.path.join(build, "app", "longpole")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
        build_programs(charm, longpole, folder)
        overhead = bench_overhead(folder, figure)
        measured = bench_kinds(folder, longpole, figure)
    print(summary(measured), end="")
    if not name:
        return
    with open(name, "w", encoding="utf-8") as file:
        file.write(f"{machine()}; medians of {PAIRS} pairs.\n\n")
        file.write(table(["program", "tasks a second", "a task", "its path", "overhead"],
                         [[program, f"{1e9 / off:,.0f}", f"{off:,.0f} ns", f"{on - off:.0f} ns",
                           f"{(on / off - 1) * 100:.2f} %"] for program, off, on in overhead]))
        file.write(table(["program", "by hand", "predicted", "by the file", "", "by itself", "whole run", "spread"],
                         [one.row() for one in measured]))
        file.write(summary(measured) + "\n")
        file.write(table(*phase_rows(build)))
    draw_all(build, os.path.splitext(name)[0],
             [(program, f"{1e9 / off:,.0f}", on / off - 1) for program, off, on in overhead],
             [(one.name, one.by_hand, one.module, one.kept) for one in measured])
