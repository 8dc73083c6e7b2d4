// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/mpilaunch.h"

#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace longpole {

namespace {

// Options that take the next word, or the next two, as their value; they are written with one hyphen or two.
// clang-format off
constexpr const char* openMpiOne[] = {
    "n", "np", "c", "N", "H", "host", "hostfile", "default-hostfile", "machinefile", "x", "wd", "wdir", "path", "prefix",
    "tune", "am", "app", "map-by", "rank-by", "bind-to", "output-filename", "stdin", "xterm", "rf", "rankfile",
    "npernode", "npersocket", "report-uri", "slot-list", "cpu-set", "cpu-list", "timeout", "preload-files", "pf",
    "max-restarts", "personality", "ompi-server", "server-wait-time", "launch-agent", "runtime-options"};
constexpr const char* openMpiTwo[] = {"mca", "gmca", "omca", "gomca", "pmca", "gpmca", "prtemca"};
constexpr const char* hydraOne[] = {
    "n", "np", "f", "hosts", "host", "genvlist", "envlist", "wdir", "configfile", "launcher", "launcher-exec", "rmk",
    "topolib", "bind-to", "map-by", "membind", "demux", "iface", "ppn", "prepend-pattern", "outfile-pattern",
    "errfile-pattern", "nameserver", "localhost", "usize", "pmi-port", "gpus-per-proc", "order-nodes", "perhost"};
constexpr const char* hydraTwo[] = {"genv", "env"};
constexpr const char* slurmOne[] = {
    "n", "N", "c", "p", "t", "A", "w", "x", "m", "J", "o", "e", "i", "D", "C", "d", "q", "G", "B", "F", "r", "ntasks",
    "nodes", "cpus-per-task", "partition", "time", "account", "nodelist", "exclude", "distribution", "job-name",
    "output", "error", "input", "chdir", "constraint", "qos", "gpus", "mem", "mpi", "ntasks-per-node", "export",
    "cpu-bind", "mem-bind", "jobid", "gres", "reservation"};
// clang-format on

std::size_t valuesOf(MpiLauncher launcher, const QString& word)
{
    if (word.contains(QLatin1Char('='))) return 0;
    const QString name = word.mid(word.startsWith(QLatin1String("--")) ? 2 : 1);
    const auto has = [&](std::span<const char* const> names) {
        return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == QLatin1String(n); });
    };
    switch (launcher) {
    case MpiLauncher::OpenMpi: return has(openMpiTwo) ? 2 : has(openMpiOne) ? 1 : 0;
    case MpiLauncher::Hydra: return has(hydraTwo) ? 2 : has(hydraOne) ? 1 : 0;
    case MpiLauncher::Environment: return has(slurmOne) ? 1 : 0;
    case MpiLauncher::None: break;
    }
    return 0;
}

enum class LauncherName : std::uint8_t { No, Mpi, Other };

LauncherName launcherName(const QString& word)
{
    const QString name = QFileInfo(word).fileName();
    for (const char* other : {"srun", "aprun", "jsrun", "ibrun", "lrun"})
        if (name == QLatin1String(other)) return LauncherName::Other;
    for (const char* mpi : {"mpirun", "mpiexec", "orterun", "prterun"}) {
        const QString begin = QLatin1String(mpi);
        if (name == begin
            || (name.startsWith(begin)
                && (name[begin.size()] == QLatin1Char('.') || name[begin.size()] == QLatin1Char('-'))))
            return LauncherName::Mpi;
    }
    return LauncherName::No;
}

// The kind of a launcher by the name of the file to which links lead, else by what its --version prints.
MpiLauncher launcherKind(const QString& word)
{
    const QString file = QFileInfo(programPath(word)).canonicalFilePath();
    const QString name = QFileInfo(file).fileName();
    if (name.contains(QLatin1String("orterun")) || name.contains(QLatin1String("prterun"))
        || name.contains(QLatin1String("openmpi")))
        return MpiLauncher::OpenMpi;
    if (name.contains(QLatin1String("hydra")) || name.contains(QLatin1String("mpich"))) return MpiLauncher::Hydra;
    if (file.isEmpty()) return MpiLauncher::Environment;
    QProcess process;
    process.start(file, {QStringLiteral("--version")});
    if (!process.waitForFinished(10'000)) return MpiLauncher::Environment;
    const QString said = QString::fromLocal8Bit(process.readAllStandardOutput() + process.readAllStandardError());
    for (const char* own : {"Open MPI", "OpenRTE", "PRRTE"})
        if (said.contains(QLatin1String(own))) return MpiLauncher::OpenMpi;
    for (const char* own : {"HYDRA", "MPICH", "Intel(R) MPI", "MVAPICH"})
        if (said.contains(QLatin1String(own))) return MpiLauncher::Hydra;
    return MpiLauncher::Environment;
}

bool isOption(const QString& word) { return word.size() > 1 && word.startsWith(QLatin1Char('-')); }

// The position of a part's program, searched from its first option on. A word after an unknown option is taken for the
// option's value if it is no program.
std::optional<qsizetype> findProgram(MpiLaunch& launch, qsizetype from)
{
    bool mayBeValue = false;
    for (qsizetype i = from; i < launch.words.size() && launch.words[i] != QLatin1String(":"); ++i) {
        const QString& word = launch.words[i];
        if (word == QLatin1String("--")) continue;
        if (isOption(word)) {
            const std::size_t values = valuesOf(launch.launcher, word);
            i += qsizetype(values);
            mayBeValue = values == 0;
        } else if (!programPath(word).isEmpty()) {
            return i;
        } else {
            if (launch.missing.isEmpty() || !mayBeValue) launch.missing = word;
            if (!mayBeValue) return {};
            mayBeValue = false;
        }
    }
    return {};
}

}  // namespace

QString programPath(const QString& word)
{
    if (!word.contains(QLatin1Char('/'))) return QStandardPaths::findExecutable(word);
    const QFileInfo file(word);
    return file.isFile() && file.isExecutable() ? file.absoluteFilePath() : QString();
}

MpiLaunch readLaunch(const QStringList& words, qsizetype at, MpiLauncher launcher)
{
    MpiLaunch launch{.launcher = launcher, .words = words, .at = at, .programs = {}, .parts = {}, .missing = {}};
    if (launcher == MpiLauncher::None) {
        if (!programPath(words.value(0)).isEmpty()) launch.programs.push_back(0);
        else launch.missing = words.value(0);
        return launch;
    }
    for (qsizetype from = at + 1; from <= words.size();) {
        launch.parts.push_back(from);
        const auto program = findProgram(launch, from);
        if (!program) {
            launch.programs.clear();
            return launch;
        }
        launch.programs.push_back(*program);
        const qsizetype colon = words.indexOf(QStringLiteral(":"), *program);
        if (colon < 0 || launcher == MpiLauncher::Environment) break;
        from = colon + 1;
    }
    launch.missing.clear();
    return launch;
}

MpiLaunch readLaunch(const QStringList& words)
{
    for (qsizetype i = 0; i < words.size(); ++i) {
        const LauncherName name = launcherName(words[i]);
        // Behind a wrapper a launcher starts a program; else it is an argument that is called like one.
        const auto isProgram = [](const QString& word) { return !programPath(word).isEmpty(); };
        if (name != LauncherName::No && i > 0 && std::none_of(words.begin() + i + 1, words.end(), isProgram)) break;
        switch (name) {
        case LauncherName::Mpi: return readLaunch(words, i, launcherKind(words[i]));
        case LauncherName::Other: return readLaunch(words, i, MpiLauncher::Environment);
        case LauncherName::No: break;
        }
    }
    return readLaunch(words, 0, MpiLauncher::None);
}

QStringList withVariables(const MpiLaunch& launch, const Variables& variables)
{
    if (launch.launcher != MpiLauncher::OpenMpi && launch.launcher != MpiLauncher::Hydra) return launch.words;
    QStringList added;
    for (const auto& [name, value] : variables) {
        if (value.isEmpty()) continue;
        if (launch.launcher == MpiLauncher::Hydra) added << QStringLiteral("-genv") << name << value;
        else added << QStringLiteral("-x") << QString(name + QLatin1Char('=') + value);
    }
    QStringList words = launch.words;
    // Hydra's options are global and stand before the first part; Open MPI's belong to a part each.
    const std::size_t parts = launch.launcher == MpiLauncher::Hydra ? 1 : launch.parts.size();
    for (std::size_t part = parts; part-- > 0;) {
        const qsizetype at = part == 0 ? launch.at + 1 : launch.parts[part];
        for (qsizetype i = added.size(); i-- > 0;) words.insert(at, added[i]);
    }
    return words;
}

}  // namespace longpole
