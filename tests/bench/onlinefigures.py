# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of Hollingsworth's paper (1996), measured with this recorder: used by script/bench --online. 6 and 7 are
what following the critical path costs, 8 and 9 what it says of two of the NAS benchmarks."""
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile

from recordedprograms import Recorder

LANES = (0, 1, 4, 8, 16, 32)
ROUNDS = 5
WITHOUT_TRACE = ["LONGPOLE_TRACE=0", "LONGPOLE_ZEROING=1"]
# Ranks that wait for a core would else poll all that time, which is not what following the path costs.
YIELDING = {"OMPI_MCA_mpi_yield_when_idle": "1"}
COMPILED = "-O2 -g -finstrument-functions -finstrument-functions-exclude-function-list=randlc"


class Figures:
    """Prints figures, keeps them as rows of CSV files, and draws them, if there is a folder for that."""

    def __init__(self, build, figure, folder):
        self.figure = figure
        self.folder = folder
        self.draw_program = os.path.join(build, "tests", "draw_bars")
        if folder:
            os.makedirs(folder, exist_ok=True)

    def write(self, name, heads, rows):
        if not self.folder:
            return
        with open(os.path.join(self.folder, name + ".csv"), "w", encoding="utf-8") as file:
            file.write(",".join(heads) + "\n")
            file.writelines(",".join(str(cell) for cell in row) + "\n" for row in rows)

    def draw(self, name, title, summary, measures, groups):
        """groups: [(name, [value or None, one for each measure])], values in percent."""
        if not self.folder or not os.path.exists(self.draw_program):
            return
        bars = {"title": title, "summary": summary, "measures": measures,
                "groups": [{"name": name, "values": [None if value is None else value / 100 for value in values]}
                           for name, values in groups]}
        env = dict(os.environ, QT_QPA_PLATFORM="offscreen")
        subprocess.run([self.draw_program, os.path.join(self.folder, name + ".png")], input=json.dumps(bars),
                       text=True, check=True, env=env)


class Rounds:
    """CPU time of rounds with work and a message each way (recorder_rounds): that which one in twenty pieces of a run
    stays below, so that pieces in which something else had a core do not count."""

    def __init__(self, recorder, folder):
        self.recorder = recorder
        self.folder = folder
        self.program = os.path.join(recorder.programs, "recorder_rounds-openmpi")

    def replayed(self, ranks):
        """What the last run's replays took of it, in percent; None: there were none."""
        path = os.path.join(self.recorder.output, "online.jsonl")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            last = [json.loads(line) for line in file][-1]
        doubts = {name: last[name] for name in ("late", "ambiguous", "ahead", "lost_ns") if last[name]}
        if doubts:
            print(f"{self.program}: in doubt: {doubts}")
        return 100 * last["own_ns"] / (ranks * last["covered_ns"]) if last["covered_ns"] else None

    def measured(self, work, bytes_sent, kinds, ranks=2):
        """By kind, each a Cost. The amount of work is the same in all runs; each round of runs has one of each kind, one
        after the other, and what a kind adds is the median of its differences to the plain run of its round."""
        amount, found, rates, replays = [], {kind: [] for kind in kinds}, [], {kind: [] for kind in kinds}
        for _ in range(ROUNDS):
            for kind, settings in kinds.items():
                text = self.recorder.run([self.program, str(work), str(bytes_sent), "1", *amount],
                                         settings is not None, self.folder, ranks, settings or ())[0]
                ns, a_second, done = re.search(r"round (\d+) ns, (\d+) a second, amount (\d+)", text).groups()
                amount = [done]
                found[kind].append(int(ns))
                if settings is None:
                    rates.append(int(a_second))
                elif "LONGPOLE_ONLINE=meet" in settings and (replayed := self.replayed(ranks)) is not None:
                    replays[kind].append(replayed)
        plain = found["plain"]
        return {kind: Cost(plain, values, statistics.median(rates), replays[kind]) for kind, values in found.items()}


class Cost:
    """What a kind of recording adds to a round, by pairs of runs."""

    def __init__(self, plain, values, rate, replays):
        added = [value - base for value, base in zip(values, plain)]
        percents = [100 * more / base for more, base in zip(added, plain)]
        self.percent = statistics.median(percents)
        self.spread = (max(percents) - min(percents)) / 2
        self.plain = statistics.median(plain)
        self.a_message_end = statistics.median(added) / 2  # a round sends one message and receives one
        self.rate = rate
        self.replay_percent = statistics.median(replays) if replays else None
        self.replay_ns = self.replay_percent * 1e7 / rate / 2 if replays else None  # for a message end


def names(lanes):
    return "LONGPOLE_PROCEDURES=" + ",".join(f"procedure {lane}" for lane in range(lanes))


def say(figures, rows, number, name, kinds, found):
    for kind in kinds:
        if kind == "plain":
            continue
        cost = found[kind]
        figures.figure(f"online.{name}.{kind}", cost.percent, "%")
        replay = ("", "") if cost.replay_ns is None else (round(cost.replay_ns), f"{cost.replay_percent:.2f}")
        rows.append((number, name, kind, round(cost.rate), round(cost.plain), f"{cost.percent:.2f}",
                     f"{cost.spread:.2f}", round(cost.a_message_end), *replay))


HEADS = ("figure", "what", "kind", "rounds_a_second", "plain_ns", "added_percent", "half_spread_points",
         "ns_a_message_end", "replay_ns_a_message_end", "replay_percent")


def figure_6(figures, rounds, rows):
    """By how many procedures are followed, at two shares of computation."""
    for work, share in ((4500, 75), (2200, 60)):  # of a round's time without the recorder, about
        kinds = {"plain": None, "recorded": []}
        for lanes in LANES:
            for how in ("meet", "carry"):
                kinds[f"{how}.{lanes}"] = WITHOUT_TRACE + ["LONGPOLE_ONLINE=" + how, names(lanes)]
        found = rounds.measured(work, 4096, kinds)
        say(figures, rows, 6, f"procedures.{share}", kinds, found)
        groups = [("recorded alone", [found["recorded"].percent, None])]
        groups += [(f"{lanes} procedures", [found[f"meet.{lanes}"].percent, found[f"carry.{lanes}"].percent]) for lanes in LANES]
        figures.draw(f"procedures-{share}", f"What following the path adds where {share} % is computation",
                     "CPU time of a round, 4 096 bytes each way; recorded alone: the recorder without the path",
                     ["where all meet", "carried by messages"], groups)


def figure_7(figures, rounds, rows):
    """By how often messages are sent."""
    groups = []
    for work in (20000000, 1000000, 100000, 10000, 1000):
        kinds = {"plain": None, "recorded": []}
        for how in ("meet", "carry"):
            kinds[how] = WITHOUT_TRACE + ["LONGPOLE_ONLINE=" + how, names(4)]
        found = rounds.measured(work, 8, kinds)
        a_second = 2e9 / work
        say(figures, rows, 7, f"rate.{a_second:.0f}", kinds, found)
        groups.append((f"about {a_second:,.0f} messages a second".replace(",", " "),
                       [found[kind].percent for kind in ("recorded", "meet", "carry")]))
    figures.draw("rate", "What it adds by how often a rank sends and receives",
                 "CPU time of a round, 8 bytes each way, 4 procedures",
                 ["recorded alone", "where all meet", "carried by messages"], groups)


def more_ranks_than_cores(figures, rounds, rows):
    ranks = 2 * len(os.sched_getaffinity(0))
    kinds = {"plain": None, "recorded": []}
    for how in ("meet", "carry"):
        kinds[how] = WITHOUT_TRACE + ["LONGPOLE_ONLINE=" + how, names(8)]
    say(figures, rows, 6, f"procedures.8.ranks.{ranks}", kinds, rounds.measured(4500, 4096, kinds, ranks))


# --- what the path says of the NAS benchmarks ---

def in_order_of(text, *parts):
    """`text` with each (old, new) replaced; each old is there once."""
    for old, new in parts:
        if text.count(old) != 1:
            raise RuntimeError(f"NPB's is.c has something else where this was expected: {old}")
        text = text.replace(old, new)
    return text


def sequential_sort(text):
    """is.c with keys that rank 0 makes for all, as in the version that the paper measured; each rank makes its own
    since. The keys are the same. They are sorted a hundred times instead of ten: making them takes longer than it did
    beside sorting, which no longer goes over Ethernet."""
    begin = text.index("    create_seq( find_my_seed( my_rank,")
    end = text.index(";", begin)
    call = text[begin:end + 1]
    return in_order_of(text, ("#define  MAX_ITERATIONS      10", "#define  MAX_ITERATIONS      100"), (call, """
    if (my_rank == 0)
        for (int other = comm_size - 1; other >= 0; --other) {
            %s
            if (other > 0) MPI_Send(key_array, NUM_KEYS, MP_KEY_TYPE, other, 1001, MPI_COMM_WORLD);
        }
    else
        MPI_Recv(key_array, NUM_KEYS, MP_KEY_TYPE, 0, 1001, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
""" % call.replace("my_rank", "other")))


def build_npb(source, folder, benchmark, ranks, problem, change=None, flags=COMPILED):
    """The program's path. Compiles a copy of NPB's sources, with instrumented functions unless other flags are given."""
    copy = tempfile.mkdtemp(prefix=benchmark + "-", dir=folder)
    # Without what was compiled in there, in another way.
    shutil.copytree(source, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.o", "bin", "npbparams.h"))
    os.makedirs(os.path.join(copy, "bin"))
    if change:
        path = os.path.join(copy, "IS", "is.c")
        with open(path, encoding="utf-8") as file:
            text = change(file.read())
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    fortran = "mpifort.openmpi" if shutil.which("mpifort.openmpi") else "mpifort"
    c = "mpicc.openmpi" if shutil.which("mpicc.openmpi") else "mpicc"
    loose = "-fallow-argument-mismatch -fallow-invalid-boz"
    with open(os.path.join(copy, "config", "make.def"), "w", encoding="utf-8") as file:
        file.write(f"MPIF77 = {fortran} {loose}\nMPIFC = {fortran} {loose}\nFLINK = {fortran}\nMPICC = {c}\n"
                   f"CLINK = {c}\nFMPI_LIB =\nFMPI_INC =\nCMPI_LIB =\nCMPI_INC =\nFFLAGS = {flags}\n"
                   f"CFLAGS = {flags}\nFLINKFLAGS =\nCLINKFLAGS =\nCC = cc\nBINDIR = ../bin\nRAND = randi8\n")
    done = subprocess.run(["make", benchmark, f"CLASS={problem}", f"NPROCS={ranks}"], cwd=copy, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    built = [name for name in os.listdir(os.path.join(copy, "bin")) if name.startswith(benchmark + ".")]
    if done.returncode or len(built) != 1:
        raise RuntimeError(f"NPB's {benchmark} cannot be built:\n{done.stdout[-2000:]}")
    return os.path.join(copy, "bin", built[0])


def path_of(recorder, folder, program, ranks):
    """Rows (procedure, share, gain, CPU), in percent, of one run: with the nets of the procedures that a run before it
    had on its path."""
    output = os.path.join(folder, "npb.lprec")

    def followed(*options):
        done = subprocess.run([recorder.longpole, "record", "--force", "--no-import", "--online", "--no-trace", *options,
                               "-o", output, "--", recorder.mpirun, "-np", str(ranks), program],
                              capture_output=True, text=True, env=dict(recorder.env, **YIELDING), cwd=folder)
        if done.returncode or "SUCCESSFUL" not in done.stdout:
            raise RuntimeError(f"{program} failed under the recorder:\n{(done.stdout + done.stderr)[-2000:]}")
        last = [json.loads(line) for line in open(os.path.join(output, "online.jsonl"), encoding="utf-8")][-1]
        doubts = {name: last[name] for name in ("late", "ambiguous", "ahead", "lost_ns") if last[name]}
        if doubts:
            print(f"{os.path.basename(program)}: in doubt: {doubts}")
        return last

    first = followed()
    followed_names = [row["name"] for row in first["procedures"][:12]]
    last = followed("--zeroing", "--procedures", ",".join(followed_names))
    all_ns = sum(row["cpu_ns"] for row in last["procedures"]) + last["rest_cpu_ns"]
    length = last["length_ns"]
    rows = [(row["name"], 100 * row["share_ns"] / length,
             None if row["net_ns"] is None else 100 * (length - row["net_ns"]) / length, 100 * row["cpu_ns"] / all_ns)
            for row in last["procedures"][:12]]
    return rows, output, last


def whole_runs(figures, recorder, folder, npb):
    """NPB's own time with the path, replayed where all meet, to that without the recorder: pairs, one run after the
    other, on as many ranks as there are cores and on twice as many."""
    rows, cores = [], len(os.sched_getaffinity(0))
    recorder.env.update(YIELDING)
    seconds_of = lambda text: float(re.search(r"Time in seconds =\s+([\d.]+)", text)[1])
    for benchmark in ("cg", "mg", "is", "lu"):
        for ranks in (cores, 2 * cores):
            program = build_npb(npb, folder, benchmark, ranks, "A", flags="-O2 -g")
            for how in ("meet", "carry"):
                ratio, spread, plain, recorded = recorder.pairs(
                    [program], folder, ROUNDS, seconds_of, ranks,
                    ["LONGPOLE_TRACE=0", "LONGPOLE_ZEROING=1", "LONGPOLE_ONLINE=" + how, names(4)])
                if "SUCCESSFUL" not in recorded:
                    raise RuntimeError(f"{program} failed under the recorder:\n{recorded[-2000:]}")
                figures.figure(f"online.npb.{benchmark}.{ranks}.{how}", ratio, "ratio",
                               1.01 if how == "meet" and ranks <= cores else None)
                rows.append((benchmark.upper(), ranks, how, f"{seconds_of(plain):.2f}", f"{ratio:.3f}", f"{spread:.3f}"))
    figures.write("runs", ("benchmark", "ranks", "kind", "plain_seconds", "with_to_without", "spread"), rows)


def figures_8_and_9(figures, recorder, folder, npb):
    wanted = (("components", "mg", None, "NPB MG by functions, class W, 2 ranks", "8"),
              ("sort", "is", sequential_sort, "NPB IS, keys made by one rank, sorted 100 times, class W, 2 ranks", "9"),
              ("sort-parallel", "is", None, "NPB IS as it is: each rank makes its keys, class W, 2 ranks", "9"))
    for name, benchmark, change, title, number in wanted:
        program = build_npb(npb, folder, benchmark, 2, "W", change)
        rows, _, last = path_of(recorder, folder, program, 2)
        for procedure, share, gain, cpu in rows[:8]:
            gained = "-" if gain is None else f"{gain:.1f}"
            print(f"online.{name}: {procedure:<32} CP {share:5.1f} %  gain {gained:>5} %  CPU {cpu:5.1f} %")
        figures.write(name, ("figure", "procedure", "path_percent", "gain_percent", "cpu_percent"),
                      [(number, f'"{row[0]}"', *("" if cell is None else f"{cell:.2f}" for cell in row[1:]))
                       for row in rows])
        figures.draw(name, title, f"the path is {last['length_ns'] / 1e9:.3f} s long",
                     ["part of the path", "how much shorter the path were without it", "part of all ranks' time"],
                     [(row[0], list(row[1:])) for row in rows if max(row[1], row[3]) >= 0.1])


def bench_online(build, figure, folder, npb):
    """`folder`: for CSV and PNG, or none; `npb`: the folder of NPB's MPI sources, or none."""
    figures = Figures(build, figure, folder)
    with tempfile.TemporaryDirectory(prefix="longpole-online-") as scratch:
        recorder = Recorder(build, scratch)
        rounds = Rounds(recorder, scratch)
        if recorder.missing() or not os.path.exists(rounds.program):
            print("online: skipped,", recorder.missing() or "the program is not built")
            return
        rows = []
        figure_6(figures, rounds, rows)
        figure_7(figures, rounds, rows)
        more_ranks_than_cores(figures, rounds, rows)
        figures.write("overhead", HEADS, rows)
        if npb:
            figures_8_and_9(figures, recorder, scratch, npb)
            whole_runs(figures, recorder, scratch, npb)
        else:
            print("online: NPB's sources were not named (--npb), figures 8 and 9 are left out")
