// SPDX-License-Identifier: GPL-3.0-or-later
// The module's sources are in the program; charmc compiles them in a folder that is gone afterwards.
#include "app/record/charmmodule.h"

#include "analysis/base/cells.h"
#include "app/common/openfolder.h"
#include "app/common/scratchfolder.h"
#include "app/common/shellword.h"
#include "app/record/process.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryFile>

#include <algorithm>
#include <array>
#include <cstdio>

#include <fcntl.h>

namespace longpole {

namespace {

constexpr const char* libraryName = "libmodulelongpole.a";
// For programs whose Charm++ is a shared library: what they preload, and what that loads.
constexpr const char* preloadName = "liblongpole-charm.so";
constexpr const char* preloadedName = "liblongpole-charm-module.so";

Result<QString> compilerOf(const QString& charm)
{
    const QFileInfo given(charm);
    const QString path = given.isDir() ? QDir(charm).filePath(QStringLiteral("bin/charmc")) : charm;
    const QFileInfo compiler(path);
    if (compiler.isFile() && compiler.isExecutable()) return compiler.absoluteFilePath();
    return Error{tr("There is no bin/charmc."), charm,
                 tr("Give the folder that was built, such as charm/multicore-linux-x86_64.")};
}

Result<> writeSources(const QString& folder)
{
    for (const QString& name : QDir(QStringLiteral(":/charm")).entryList(QDir::Files)) {
        QFile source(QStringLiteral(":/charm/") + name);
        QFile target(QDir(folder).filePath(name));
        if (!source.open(QIODevice::ReadOnly) || !target.open(QIODevice::WriteOnly | QIODevice::NewOnly)
            || target.write(source.readAll()) != source.size() || !target.flush())
            return Error{tr("The module's sources cannot be written: %1.").arg(target.errorString()), folder, {}};
    }
    return Unit{};
}

Result<> run(const QStringList& words, const QString& folder, const Progress& progress)
{
    const QString output = QDir(folder).filePath(QStringLiteral("output"));
    const auto process = startProcess({.words = words, .isApart = true, .folder = folder, .output = output});
    if (!process) return process.error();
    const auto ended = waitForProcess(*process, progress);
    if (!ended) return ended.error();
    if (ended->exitCode == 0) return Unit{};
    const QString printed = lastWords(output);
    return Error{tr("charmc could not build the module; its exit code is %1.").arg(ended->exitCode),
                 words.join(QLatin1Char(' ')),
                 printed.isEmpty() ? QString() : tr("It printed last: %1").arg(onOneLine(printed))};
}

// Charm++'s own shared libraries lie beside bin/.
bool hasSharedLibraries(const QString& compiler)
{
    return QFileInfo(QFileInfo(compiler).absoluteDir(), QStringLiteral("../lib_so/libck.so")).exists();
}

// Each source alone, and the libraries of them.
QList<QStringList> buildSteps(const QString& compiler, const QString& folder, bool isShared)
{
    const QString preload = QStringLiteral("preload.o"), preloaded = QStringLiteral("preloaded.o");
    QList<QStringList> steps{{compiler, QStringLiteral("longpole.ci")}};
    QStringList objects;
    for (const QString& source : QDir(folder).entryList({QStringLiteral("*.C")}, QDir::Files, QDir::Name)) {
        const QString object = QFileInfo(source).completeBaseName() + QStringLiteral(".o");
        const bool isForPreload = object == preload || object == preloaded;
        if (isForPreload && !isShared) continue;
        steps << QStringList{compiler, QStringLiteral("-c"), QStringLiteral("-O2")};
        if (isShared) steps.last() << QStringLiteral("-fPIC");
        steps.last() << source;
        if (!isForPreload) objects << object;
    }
    steps << (QStringList{compiler, QStringLiteral("-o"), QLatin1String(libraryName)} + objects);
    const auto link = [&](const char* library, const QStringList& of) {
        steps << (QStringList{compiler, QStringLiteral("-shared"), QStringLiteral("-standalone"), QStringLiteral("-o"),
                              QLatin1String(library)}
                  + of + QStringList{QStringLiteral("-ldl")});
    };
    if (isShared) {
        link(preloadName, {preload});
        link(preloadedName, objects + QStringList{preloaded});
    }
    return steps;
}

// What is installed, the header first, by which a folder is known to be the module's.
constexpr std::array installed{"longpole.h", "longpole.decl.h", libraryName, preloadedName, preloadName};

// Whether the folder has none of these, or a longpole.h that is the module's, by its first line and the guard of its
// includes; it may be of another version.
Result<> checkInstalled(const OpenFolder& folder, const QDir& named)
{
    constexpr qint64 head = 4096;
    for (const char* name : installed) {
        QFile file(QDir(folder.path()).filePath(QLatin1String(name)));
        if (!QFileInfo(file).exists() && !QFileInfo(file).isSymLink()) continue;
        if (name == installed.front() && !mayNeverEnd(file.fileName()) && file.open(QIODevice::ReadOnly)) {
            const QByteArray begin = file.read(head);
            if (begin.startsWith("// SPDX-License-Identifier: GPL-3.0-or-later\n")
                && begin.contains("\n#ifndef LONGPOLE_H\n"))
                return Unit{};
        }
        return Error{tr("This file is not the module's; it is left as it is."), named.filePath(QLatin1String(name)),
                     tr("Choose another folder with -o.")};
    }
    return Unit{};
}

// Replaces the file of before only when the new one is whole, and nothing else.
Result<> install(const QString& from, const OpenFolder& folder, const QString& to)
{
    QFile built(from);
    const QString target = folder.path() + QLatin1Char('/') + QFileInfo(to).fileName();
    QTemporaryFile part(target + QStringLiteral(".XXXXXX"));
    if (built.open(QIODevice::ReadOnly) && part.open() && part.write(built.readAll()) == built.size() && part.flush()
        && part.setPermissions(built.permissions())
        && std::rename(QFile::encodeName(part.fileName()).constData(), QFile::encodeName(target).constData()) == 0) {
        part.setAutoRemove(false);
        return Unit{};
    }
    return Error{tr("The module cannot be written."), to, {}};
}

}  // namespace

Result<CharmModule> buildCharmModule(const QString& charm, const QString& folder, const Progress& progress)
{
    const auto compiler = compilerOf(charm);
    if (!compiler) return compiler.error();
    const QFileInfo target(QDir::cleanPath(folder));  // with a slash behind its name a link is what it leads to
    if (target.isSymLink())
        return Error{tr("This is a link; it is left as it is."), folder,
                     tr("Name the folder itself: %1.").arg(target.symLinkTarget())};
    if (target.exists() && !target.isDir()) return Error{tr("This is no folder."), folder, {}};
    if (!QDir().mkpath(folder)) return Error{tr("The folder cannot be made."), folder, {}};
    const QDir folderOf(target.absoluteFilePath());
    // To compile takes long: what has got its name then is another folder.
    const OpenFolder into(::open(QFile::encodeName(folderOf.path()).constData(),
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!into.isValid() || !isOpenAt(into.path(), into.descriptor()))
        return Error{tr("The folder cannot be opened."), folder, tr("It has to be readable, and /proc to be there.")};
    if (const auto known = checkInstalled(into, folderOf); !known) return known.error();
    const ScratchFolder work(QStringLiteral("longpole-charm-"));
    if (!work.isValid())
        return Error{tr("No temporary folder can be made: %1.").arg(work.errorString()), QDir::tempPath(), {}};
    if (const auto written = writeSources(work.path()); !written) return written.error();
    const bool isShared = hasSharedLibraries(*compiler);
    for (const QStringList& step : buildSteps(*compiler, work.path(), isShared))
        if (const auto done = run(step, work.path(), progress); !done) return done.error();
    if (const auto known = checkInstalled(into, folderOf); !known) return known.error();
    for (const char* name : installed) {
        if (!isShared && (name == preloadedName || name == preloadName)) continue;
        const auto done = install(work.filePath(QLatin1String(name)), into, folderOf.filePath(QLatin1String(name)));
        if (!done) return done.error();
    }
    const QString quoted = quotedForShell(folderOf.path());
    const QString preload = isShared ? folderOf.filePath(QLatin1String(preloadName)) : QString();
    return CharmModule{folderOf.filePath(QLatin1String(libraryName)),
                       {QStringLiteral("-L") + quoted, QStringLiteral("-module"), QStringLiteral("longpole"),
                        QStringLiteral("-Wl,--wrap=CqsEnqueueGeneral")},
                       QStringLiteral("-I") + quoted,
                       preload,
                       isShared ? quotedForShell(preload) : QString()};
}

}  // namespace longpole
