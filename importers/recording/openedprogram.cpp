// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/openedprogram.h"

#include "core/base/mayneverend.h"

#include <QFile>
#include <QFileInfo>

#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {
namespace {

// Waits for no pipe. -1: it is no ordinary file, or cannot be read.
int openedFile(const char* path)
{
    const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status {};
    if (file >= 0 && ::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
    if (file >= 0) ::close(file);
    return -1;
}

// Whether elfutils may look there: nothing is there, or an ordinary file of this machine.
bool mayBeRead(const QString& path)
{
    return whereLeads(path, {}) == Leads::Here && (!QFileInfo::exists(path) || QFileInfo(path).isFile());
}

// The standard search, of which nothing is left to the name that the file gives: one with a slash can lead anywhere.
int findDebugInformation(Dwfl_Module* module, void** data, const char* moduleName, Dwarf_Addr base, const char* file,
                         const char* link, GElf_Word checksum, char** found)
{
    const int byBuild = dwfl_build_id_find_debuginfo(module, data, moduleName, base, file, link, checksum, found);
    if (byBuild >= 0 || file == nullptr) return byBuild;
    if (link != nullptr && std::strncmp(link, "/usr/lib/debug/", 15) == 0 && std::strstr(link, "/../") == nullptr) {
        const int shared = openedFile(link);  // what debug files of a package have in common
        if (shared >= 0) *found = ::strdup(link);
        return shared;
    }
    const QFileInfo program(QFile::decodeName(file));
    const QString name = link != nullptr ? QFile::decodeName(link)
                                         : QString(program.fileName() + QLatin1String(".debug"));
    if (name.contains(QLatin1Char('/'))) return -1;
    for (const QString& tried : {name, program.fileName()})
        for (const char* below : {"/", "/.debug/"})
            if (!mayBeRead(program.absolutePath() + QLatin1String(below) + tried)) return -1;
    return dwfl_standard_find_debuginfo(module, data, moduleName, base, file, link, checksum, found);
}

}  // namespace

OpenedProgram::OpenedProgram(const QByteArray& path)
{
    static char* noPath = nullptr;
    static const Dwfl_Callbacks callbacks{.find_elf = nullptr,
                                          .find_debuginfo = findDebugInformation,
                                          .section_address = dwfl_offline_section_address,
                                          .debuginfo_path = &noPath};
    m_dwfl.reset(dwfl_begin(&callbacks));
    const int file = m_dwfl ? openedFile(path.constData()) : -1;
    if (file < 0) return;
    dwfl_report_begin(m_dwfl.get());
    m_module = dwfl_report_offline(m_dwfl.get(), path.constData(), path.constData(), file);
    if (m_module == nullptr) ::close(file);
    dwfl_report_end(m_dwfl.get(), nullptr, nullptr);
}

}  // namespace longpole
