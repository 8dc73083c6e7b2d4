// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/mpiprogram.h"

#include "core/base/translate.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QRegularExpression>

#include <climits>
#include <cstring>
#include <optional>

#include <elf.h>

namespace longpole {

namespace {

// The loader that an executable for 64 bits names; empty: it is linked statically. Nothing: it is something else.
std::optional<QString> loaderOf(const QString& path)
{
    QFile file(path);
    Elf64_Ehdr head{};
    if (!file.open(QIODevice::ReadOnly) || file.read(reinterpret_cast<char*>(&head), sizeof head) != qint64(sizeof head)
        || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phnum == 0)
        return {};
    for (int i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr segment{};
        if (!file.seek(qint64(head.e_phoff) + qint64(i) * head.e_phentsize)
            || file.read(reinterpret_cast<char*>(&segment), sizeof segment) != qint64(sizeof segment))
            return {};
        if (segment.p_type != PT_INTERP) continue;
        if (segment.p_filesz > PATH_MAX || !file.seek(qint64(segment.p_offset))) return {};
        const QByteArray name = file.read(qint64(segment.p_filesz));
        return QFile::decodeName(name.constData());
    }
    return QString();
}

// What the command prints; nothing if it fails.
std::optional<QString> outputOf(const QString& command, const QStringList& arguments)
{
    QProcess process;
    process.start(command, arguments);
    if (!process.waitForFinished(30'000) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        return {};
    return QString::fromLocal8Bit(process.readAllStandardOutput());
}

MpiKind kindOf(const QString& soname)
{
    if (soname == QLatin1String("libmpi.so.40")) return MpiKind::OpenMpi;
    if (soname == QLatin1String("libmpich.so.12")) return MpiKind::Mpich;
    return MpiKind::Other;
}

Error wrongLauncher(const MpiProgram& program, const MpiLaunch& launch)
{
    return {tr("The program uses %1, but %2 starts programs of %3: each rank would run alone.")
                .arg(mpiName(program.mpi), launch.words[launch.at],
                     mpiName(program.mpi == MpiKind::OpenMpi ? MpiKind::Mpich : MpiKind::OpenMpi)),
            program.path,
            tr("Use %1.").arg(program.mpi == MpiKind::OpenMpi ? QStringLiteral("mpirun.openmpi")
                                                              : QStringLiteral("mpirun.mpich"))};
}

}  // namespace

QString mpiName(MpiKind kind)
{
    switch (kind) {
    case MpiKind::OpenMpi: return QStringLiteral("Open MPI");
    case MpiKind::Mpich: return QStringLiteral("MPICH");
    case MpiKind::Other: return tr("another MPI");
    case MpiKind::Unknown: break;
    }
    return tr("an unknown MPI");
}

QStringList wrappingTools(const QStringList& libraries)
{
    static const QRegularExpression known(QStringLiteral(
        "^lib(mpiP|scorep|vt-mpi|TAU|tau|mpitrace|ompitrace|seqtrace|darshan|ipm|mpigraph|likwid-mpi|caliper|gptl|mpe|"
        "craypat|VT)[^/]*\\.so"));
    QStringList tools;
    for (const QString& library : libraries)
        if (const QString name = QFileInfo(library).fileName(); known.match(name).hasMatch()) tools << name;
    return tools;
}

void readLinked(const QString& output, MpiProgram& program)
{
    // libmpi itself; not libmpi_cxx, libmpi_mpifh, libmpichfort.
    static const QRegularExpression mpi(QStringLiteral("^libmpi(ch|_cray|_intel)?\\.so\\.[0-9]+"));
    QStringList libraries;
    for (const QString& line : output.split(QLatin1Char('\n'))) {
        const QString name = QFileInfo(line.trimmed().section(QLatin1Char(' '), 0, 0)).fileName();
        if (name.isEmpty()) continue;
        libraries << name;
        if (program.mpi == MpiKind::Unknown && mpi.match(name).hasMatch()) {
            program.library = name;
            program.mpi = kindOf(name);
        }
    }
    program.tools = wrappingTools(libraries);
}

MpiProgram inspectProgram(const QString& path)
{
    MpiProgram program;
    program.path = path;
    const std::optional<QString> loader = loaderOf(path);
    program.isStatic = loader && loader->isEmpty();
    if (!loader || program.isStatic) return program;
    // What ldd asks as well, which is a script that starts a dozen processes.
    std::optional<QString> libraries = outputOf(*loader, {QStringLiteral("--list"), path});
    if (!libraries) libraries = outputOf(QStringLiteral("ldd"), {path});
    if (libraries) readLinked(*libraries, program);
    return program;
}

Result<MpiKind> mpiOf(const MpiLaunch& launch, const MpiProgram& program)
{
    if (program.isStatic)
        return Error{tr("The program is linked statically: nothing can be loaded before it."), program.path,
                     tr("Link it dynamically (without -static), or link it with the recorder's library.")};
    const MpiKind fits = launch.launcher == MpiLauncher::OpenMpi ? MpiKind::OpenMpi
                         : launch.launcher == MpiLauncher::Hydra ? MpiKind::Mpich
                                                                 : program.mpi;
    if (program.mpi == MpiKind::Unknown) return fits == MpiKind::Unknown ? MpiKind::OpenMpi : fits;
    if (fits != program.mpi && program.mpi != MpiKind::Other) return wrongLauncher(program, launch);
    return program.mpi;
}

Result<QString> recorderLibrary(MpiKind kind, const QString& soname)
{
    if (kind == MpiKind::Other)
        return Error{tr("The program uses an MPI that the recorder is not built for."), soname,
                     tr("It records programs of Open MPI (libmpi.so.40) and of MPICH (libmpich.so.12).")};
    const QString name = kind == MpiKind::Mpich ? QStringLiteral("liblongpole-mpich.so")
                                                : QStringLiteral("liblongpole-openmpi.so");
    const QString here = QCoreApplication::applicationDirPath();
    // In the build tree, installed, unpacked.
    const QString places[] = {here + QStringLiteral("/../recorder"), here + QStringLiteral("/../lib/longpole"), here};
    for (const QString& place : places) {
        const QFileInfo file(place + QLatin1Char('/') + name);
        if (file.isFile()) return file.canonicalFilePath();
    }
    return Error{tr("There is no recorder for %1 here.").arg(mpiName(kind)), name,
                 tr("Install the development files of %1 and build Longpole again.").arg(mpiName(kind))};
}

}  // namespace longpole
