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


def bench_overhead(folder, figure, rows):
    """Overhead by tasks a second, on one PE, so that nothing but the computation is measured."""
    for kind, name in ((0, "ring"), (1, "grid")):
        for grain in (0, 300, 1500, 8000, 40000):
            rounds = 20 if grain > 5000 else 60
            out = call(os.path.join(folder, "ring"), "+p1", "+longpole-path", str(kind), str(grain), str(rounds), cwd=folder)
            off, on = map(float, re.search(r"ns a task ([0-9.]+) ([0-9.]+)", out).groups())
            figure(f"charm.path.{name}.{1e9 / off:.0f}/s", on - off, "ns/task", 120)
            rows.append(("path", name, f"{1e9 / off:.0f}", f"{off:.1f}", f"{on:.1f}", f"{(on / off - 1) * 100:.2f}"))


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


def bench_kinds(folder, longpole, figure, rows):
    for kind, name in enumerate(KINDS):
        interval, file = predicted(folder, longpole, kind)
        as_asked = ["+longpole-as-runtime"] if kind == WRONG_ASKED else []
        auto = ["+longpole-override"] if kind == WRONG_ASKED else []
        ways = {"plain": ["60"], "by hand": ["60", "1"]}
        if file:
            ways["module"] = ["60", "+longpole-priorities", file, *as_asked]
        times = {way: [] for way in [*ways, "auto", "plain long"]}
        kept = []
        for pair in range(PAIRS):
            order = list(ways) if pair % 2 == 0 else list(ways)[::-1]
            for way in order:
                times[way].append(took(folder, kind, *ways[way]))
            log = os.path.join(folder, "auto.jsonl")
            times["plain long"].append(took(folder, kind, "240"))
            times["auto"].append(took(folder, kind, "240", "+longpole-auto", "400ms", "+longpole-auto-log", log, *auto))
            with open(log, encoding="utf-8") as decided:
                kept.append(kept_gain(map(json.loads, decided)))
        by_hand = median_gain(times["plain"], times["by hand"])
        module = median_gain(times["plain"], times["module"]) if file else None
        whole = median_gain(times["plain long"], times["auto"])
        noise = statistics.pstdev(times["plain"]) / statistics.mean(times["plain"])
        figure(f"charm.{name}.by_hand", by_hand * 100, "%")
        figure(f"charm.{name}.auto", statistics.median(kept) * 100, "%")
        as_text = f"{interval[0] * 100:.1f} to {interval[1] * 100:.1f}" if interval else "none"
        rows.append(("kinds", name, as_text, f"{by_hand * 100:.1f}", f"{module * 100:.1f}" if module is not None else "-",
                     f"{statistics.median(kept) * 100:.1f}", f"{whole * 100:.1f}", f"{noise * 100:.1f}"))


def bench_charm(build, charm, figure, rows):
    """charm: the folder of a Charm++ that was built with tracing."""
    longpole = os.path.join(build, "app", "longpole")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
        build_programs(charm, longpole, folder)
        rows.append(("path", "program", "tasks/s", "ns/task without", "with", "overhead %"))
        bench_overhead(folder, figure, rows)
        rows.append(("kinds", "program", "predicted %", "by hand %", "module %", "auto, kept %", "auto, whole run %",
                     "spread of plain runs %"))
        bench_kinds(folder, longpole, figure, rows)
