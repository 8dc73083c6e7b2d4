# SPDX-License-Identifier: GPL-3.0-or-later
"""What the recorder costs programs: used by script/bench. Pairs of runs with and without it, one after the other; the
median of their ratios."""
import os
import re
import shutil
import statistics
import subprocess
import tempfile

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data")


class Recorder:
    """Runs MPI programs of two ranks with and without the library of one build."""

    def __init__(self, build, folder):
        self.longpole = os.path.join(build, "app", "longpole")
        self.library = os.path.join(build, "recorder", "liblongpole-openmpi.so")
        self.programs = os.path.join(build, "tests", "programs")
        self.output = os.path.join(folder, "bench.lprec")
        self.mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        self.env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                        OMPI_MCA_rmaps_base_oversubscribe="1")

    def missing(self):
        if not os.path.exists(self.library) or not self.mpirun:
            return "no Open MPI, or no recorder for it"
        return ""

    def run(self, command, recorded, folder, ranks=2, settings=()):
        """Output, and CPU seconds of all ranks: what a shell around each says, as mpirun does not hand it on."""
        words = [self.mpirun, "-np", str(ranks)]
        if recorded:
            shutil.rmtree(self.output, ignore_errors=True)
            words += ["-x", "LD_PRELOAD=" + self.library, "-x", "LONGPOLE_OUTPUT=" + self.output]
            for setting in settings:
                words += ["-x", setting]
        times = os.path.join(folder, "times")
        shell = 'times=$1; shift; "$@"; code=$?; times > "$times.$OMPI_COMM_WORLD_RANK"; exit $code'
        words += ["sh", "-c", shell, "sh", times] + command
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
                              env=self.env)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)} exited with {done.returncode}:\n{done.stdout[-2000:]}")
        seconds = 0
        for rank in range(ranks):
            with open(f"{times}.{rank}") as file:
                children = file.read().splitlines()[1]
            seconds += sum(int(m) * 60 + float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", children))
        return done.stdout, seconds

    def pairs(self, command, folder, count, value=None, ranks=2, settings=()):
        """Median of ratios with/without, their spread, and the outputs of the last pair. `value`: of an output, instead
        of CPU time; `settings`: of the recorder."""
        ratios = []
        for _ in range(count):
            plain, plain_cpu = self.run(command, False, folder, ranks)
            recorded, recorded_cpu = self.run(command, True, folder, ranks, settings)
            ratios.append(value(recorded) / value(plain) if value else recorded_cpu / plain_cpu)
        return statistics.median(ratios), max(ratios) - min(ratios), plain, recorded

    def sql(self, query):
        out = subprocess.run([self.longpole, "sql", "--csv", self.output, query], capture_output=True, text=True,
                             env=dict(self.env, QT_QPA_PLATFORM="offscreen"), check=True).stdout
        return [line.split(",") for line in out.splitlines()[1:]]

    def check(self, name, figure):
        """Of the last recording: bytes a call, and soft errors (unmatched messages, open requests ...)."""
        calls = int(self.sql("SELECT count(*) FROM mpi_call")[0][0])
        size = sum(os.path.getsize(os.path.join(self.output, file)) for file in os.listdir(self.output))
        figure(name + ".calls", calls, "calls")
        figure(name + ".bytes_a_call", size / calls, "bytes", 12 if calls > 100000 else None)
        for kind, count in self.sql("SELECT kind, count FROM issue"):
            print(f"{name}: {count} x {kind}")


def bench_halo(recorder, figure, folder):
    """10,000 calls a second and rank; the same amount of work in all runs."""
    program = os.path.join(recorder.programs, "recorder_halo-openmpi")
    if not os.path.exists(program):
        return
    amount = re.search(r"amount (\d+)", recorder.run([program], False, folder)[0])[1]
    time_of = lambda text: float(re.search(r"halo (\d+) ns", text)[1])
    ratio, spread, _, _ = recorder.pairs([program, amount], folder, 5, time_of)
    figure("recorder.halo.with/without", ratio, "ratio", 1.01)
    figure("recorder.halo.spread", spread, "ratio")
    recorder.check("recorder.halo", figure)


def bench_lammps(recorder, figure, folder):
    if not shutil.which("lmp"):
        print("lammps: skipped, lmp is not installed")
        return
    shutil.copy(os.path.join(DATA, "in.lj"), folder)
    ratio, spread, plain, recorded = recorder.pairs(["lmp", "-in", "in.lj"], folder, 5)
    steps = lambda text: re.findall(r"^\s+\d+(?:\s+-?[\d.]+){5}\s*$", text, re.M)
    if not steps(plain) or steps(plain) != steps(recorded):
        raise RuntimeError("LAMMPS computes something else under the recorder")
    figure("recorder.lammps.with/without", ratio, "ratio", 1.09)
    figure("recorder.lammps.spread", spread, "ratio")
    recorder.check("recorder.lammps", figure)


def bench_hpcc(recorder, figure, folder):
    if not shutil.which("hpcc"):
        print("hpcc: skipped, hpcc is not installed")
        return
    shutil.copy(os.path.join(DATA, "hpccinf.txt"), folder)
    ratios, added = [], []
    for _ in range(5):
        cpu = []
        for recorded in (False, True):
            result = os.path.join(folder, "hpccoutf.txt")
            if os.path.exists(result):
                os.remove(result)
            cpu.append(recorder.run(["hpcc"], recorded, folder)[1])
            with open(result) as file:
                if "Success=1" not in file.read():
                    raise RuntimeError("HPCC failed" + (" under the recorder" if recorded else ""))
        ratios.append(cpu[1] / cpu[0])
        polls = float(recorder.sql("SELECT sum(value) FROM counter WHERE name = 'Failed polls'")[0][0] or 0)
        added.append(1e9 * (cpu[1] - cpu[0]) / max(polls, 1))
    # RandomAccess asks for messages millions of times in vain, which takes next to nothing without the recorder.
    figure("recorder.hpcc.with/without", statistics.median(ratios), "ratio")
    figure("recorder.hpcc.spread", max(ratios) - min(ratios), "ratio")
    figure("recorder.hpcc.ns_a_failed_poll", statistics.median(added), "ns", 60 + 45)
    recorder.check("recorder.hpcc", figure)


def bench_recorded_programs(build, figure, only=()):
    with tempfile.TemporaryDirectory(prefix="longpole-recorder-") as folder:
        recorder = Recorder(build, folder)
        if recorder.missing():
            print("recorder: skipped,", recorder.missing())
            return
        for name, bench in (("halo", bench_halo), ("lammps", bench_lammps), ("hpcc", bench_hpcc)):
            if not only or name in only:
                bench(recorder, figure, folder)
