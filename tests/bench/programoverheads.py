# SPDX-License-Identifier: GPL-3.0-or-later
"""What recording costs real programs, as in the tables of Korkhov et al., section 6: used by script/bench --programs.
Pairs of runs with and without the recorder, in turn first; times are the programs' own. Beside them the CPU time that a
call took more, since the ratio of two times drowns in noise where something else runs."""
import glob
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import tempfile
import time

import onlinefigures
from recordedprograms import DATA, Recorder

PAIRS = 7
NPB = ("cg", "ep", "ft", "is", "lu", "mg", "bt", "sp")
ON_SQUARES = ("bt", "sp")  # want a square number of ranks
CLASS = "A"
FEWEST_CALLS = 2000  # of fewer, the CPU time that each took drowns in that of the program
QUIET = 0.3  # processes that want a core besides the measurement's
COLUMNS = ("program", "ranks", "without (s)", "with (s)", "overhead (%)", "calls", "bytes a call", "CPU a call (ns)")


class Program:
    """`seconds`: the program's own time, of its output and the wall time of all of it; `check`: what both runs must say
    alike; `prepare`: makes what it reads, before each run."""

    def __init__(self, name, command, ranks, seconds, check=lambda output: "", prepare=lambda folder: None):
        self.name, self.command, self.ranks = name, command, ranks
        self.seconds, self.check, self.prepare = seconds, check, prepare


def quartiles(values):
    """(lower quartile, median, upper quartile)"""
    if len(values) < 2:
        return (values[0],) * 3
    return tuple(statistics.quantiles(values, n=4, method="inclusive"))


def with_quartiles(values, digits):
    low, middle, high = quartiles(values)
    return f"{middle:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def measured(recorder, program, folder):
    """A row of the table: pairs of runs, the one without the recorder first in every other pair."""
    plain, recorded, ratios, cpu = [], [], [], []
    for pair in range(PAIRS):
        found = {}
        for is_recorded in (False, True) if pair % 2 == 0 else (True, False):
            program.prepare(folder)
            begin = time.monotonic()
            output, cpu_seconds = recorder.run(program.command, is_recorded, folder, program.ranks)
            found[is_recorded] = (program.seconds(output, time.monotonic() - begin), cpu_seconds,
                                  program.check(output))
        if found[False][2] != found[True][2]:
            raise RuntimeError(f"{program.name} computes something else under the recorder")
        plain.append(found[False][0])
        recorded.append(found[True][0])
        ratios.append(100 * (found[True][0] / found[False][0] - 1))
        cpu.append(found[True][1] - found[False][1])
    calls = int(recorder.sql("SELECT count(*) FROM mpi_call")[0][0])
    size = sum(os.path.getsize(os.path.join(recorder.output, file)) for file in os.listdir(recorder.output))
    return ((program.name, str(program.ranks), with_quartiles(plain, 3), with_quartiles(recorded, 3),
             with_quartiles(ratios, 2), f"{calls}", f"{size / calls:.1f}",
             with_quartiles([1e9 * value / calls for value in cpu], 0) if calls >= FEWEST_CALLS else "-"),
            statistics.median(ratios))


def number(pattern):
    """Reads a program's own time."""
    def read(output, _wall):
        found = re.search(pattern, output, re.M)
        if not found:
            raise RuntimeError(f"no time in the program's output:\n{output[-2000:]}")
        return float(found[1])
    return read


def same_lines(pattern):
    """What two runs must print alike."""
    return lambda output: re.findall(pattern, output, re.M)


def npb_programs(source, folder, cores):
    """NPB as it is compiled for use: without calls at functions' begins and ends, which would be recorded, too."""
    def verified(output):
        if "SUCCESSFUL" not in output:
            raise RuntimeError(f"an NPB program computes something wrong:\n{output[-2000:]}")
        return ""
    for benchmark in NPB:
        ranks = math.isqrt(cores) ** 2 if benchmark in ON_SQUARES else 1 << (cores.bit_length() - 1)
        if ranks < 2:
            print(f"programs.{benchmark}: skipped, it wants 4 cores at least")
            continue
        path = onlinefigures.build_npb(source, folder, benchmark, ranks, CLASS, flags="-O3")
        yield Program(f"NPB {benchmark.upper()}.{CLASS}", [path], ranks, number(r"Time in seconds\s*=\s*([\d.]+)"),
                      verified)


def minife(source, folder, ranks):
    """Of miniFE's folder `ref`: a cube of finite elements, solved by conjugate gradients."""
    copy = os.path.join(folder, "minife")
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.o", "*.x", "*.yaml"))
    mpi = lambda name: name + ".openmpi" if shutil.which(name + ".openmpi") else name
    done = subprocess.run(["make", "CXX=" + mpi("mpicxx"), "CC=" + mpi("mpicc"), "CFLAGS=-O3"], text=True,
                          cwd=os.path.join(copy, "src"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise RuntimeError(f"miniFE cannot be built:\n{done.stdout[-2000:]}")
    def its_time(_output, _wall):
        with open(max(glob.glob(os.path.join(folder, "miniFE.*.yaml")), key=os.path.getmtime), encoding="utf-8") as file:
            return float(re.search(r"Total Program Time: ([\d.]+)", file.read())[1])
    def prepare(_folder):
        for report in glob.glob(os.path.join(folder, "miniFE.*.yaml")):
            os.remove(report)
    return Program("miniFE", [os.path.join(copy, "src", "miniFE.x"), "nx=64", "ny=64", "nz=64"], ranks, its_time,
                   same_lines(r"^(Iteration = .*|Final Resid Norm: .*)$"), prepare)


def installed_programs(folder, ranks):
    """Those of Debian's packages lammps, cp2k, openfoam and hpcc that are installed."""
    def found(command):
        if not shutil.which(command):
            print(f"programs: {command} is not installed")
        return shutil.which(command)
    if found("lmp"):
        shutil.copy(os.path.join(DATA, "in.lj"), folder)
        yield Program("LAMMPS", ["lmp", "-in", "in.lj"], ranks, number(r"Loop time of ([\d.]+)"),
                      same_lines(r"^\s+\d+(?:\s+-?[\d.]+){5}\s*$"))
    if found("cp2k.psmp"):
        shutil.copy(os.path.join(DATA, "water.inp"), folder)
        yield Program("CP2K", ["env", "OMP_NUM_THREADS=1", "cp2k.psmp", "-i", "water.inp"], ranks,
                      number(r"^ CP2K +1 +1\.0 +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)"), same_lines(r"^ ENERGY\|.*"))
    if found("icoFoam"):
        case = os.path.join(folder, "cavity")
        shutil.copytree(os.path.join(DATA, "cavity"), case)
        # Debian's looks for its own settings there.
        settings = ["env", "WM_PROJECT_DIR=" + os.environ.get("WM_PROJECT_DIR", "/usr/share/openfoam")]
        for step in ("blockMesh", "decomposePar"):
            subprocess.run(settings + [step, "-case", case], check=True, stdout=subprocess.DEVNULL)
        # Its own clock counts whole seconds.
        yield Program("OpenFOAM", settings + ["icoFoam", "-parallel", "-case", case], 2, lambda _output, wall: wall,
                      same_lines(r"^(?:DICPCG|time step continuity).*"))
    if found("hpcc"):
        result = os.path.join(folder, "hpccoutf.txt")
        def prepare(_folder):
            shutil.copy(os.path.join(DATA, "hpccinf.txt"), folder)
            if os.path.exists(result):
                os.remove(result)
        def succeeded(_output):
            with open(result, encoding="utf-8") as file:
                return "Success=1" in file.read()
        # It has a timer for each of its parts and none for all.
        yield Program("HPCC", ["hpcc"], ranks, lambda _output, wall: wall, succeeded, prepare)


def machine(recorder, load):
    model = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"model name\s*:\s*(.+)", file.read())
            model = found[1] if found else ""
    version = subprocess.run([recorder.mpirun, "--version"], capture_output=True, text=True).stdout.splitlines()
    return (f"{model or platform.machine()}, {len(os.sched_getaffinity(0))} cores, "
            f"{platform.system()} {platform.release()}, {version[0] if version else 'unknown MPI'}; load before "
            f"{load[0]:.2f}, after {load[1]:.2f}")


def bench_programs(build, figure, file, npb, minife_source):
    """`file`: for the table in Markdown, or none; `npb`, `minife_source`: folders of their sources, or none. With more ranks than
    cores times would say nothing, so there are none."""
    with tempfile.TemporaryDirectory(prefix="longpole-programs-") as folder:
        recorder = Recorder(build, folder)
        if recorder.missing():
            print("programs: skipped,", recorder.missing())
            return
        load = [os.getloadavg()[0], 0]
        cores = len(os.sched_getaffinity(0))
        rows = []

        def measure(program):
            row, overhead = measured(recorder, program, folder)
            rows.append(row)
            figure(f"programs.{program.name.replace(' ', '.').lower()}.overhead", overhead, "%")
            print("  " + ", ".join(f"{name} {cell}" for name, cell in zip(COLUMNS[1:], row[1:])), flush=True)

        if npb:
            for program in npb_programs(os.path.abspath(npb), folder, cores):
                measure(program)
        else:
            print("programs: NPB's sources were not named (--npb), its table is left out")
        if minife_source:
            measure(minife(os.path.abspath(minife_source), folder, min(cores, 2)))
        for program in installed_programs(folder, min(cores, 2)):
            measure(program)
        load[1] = os.getloadavg()[0]
        about = machine(recorder, load)
        print(about)
        if load[0] > QUIET:
            print("programs: something else ran on this machine; do not quote these times")
        if file and rows:
            with open(file, "w", encoding="utf-8") as table:
                table.write("| " + " | ".join(COLUMNS) + " |\n" + "|---|" + "---:|" * (len(COLUMNS) - 1) + "\n")
                table.writelines("| " + " | ".join(row) + " |\n" for row in rows)
                table.write(f"\nMedians with quartiles of {PAIRS} pairs. {about}.\n")
