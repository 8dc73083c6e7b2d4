// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/recording/modules.h"

#include "core/base/mayneverend.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {
namespace {

// Whether it is an ordinary file that begins as ELF does. Nothing waits for a pipe, and nothing is read of other files
// but four bytes.
bool isElf(const QByteArray& path)
{
    const int file = ::open(path.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return false;
    struct stat status {};
    char begin[SELFMAG] = {};
    const bool isOrdinary = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const bool isMarked = isOrdinary && ::pread(file, begin, sizeof begin, 0) == SELFMAG
                          && std::memcmp(begin, ELFMAG, SELFMAG) == 0;
    ::close(file);
    return isMarked;
}

bool isBelow(const QString& path, const QString& folder)
{
    return !folder.isEmpty() && path.startsWith(folder.endsWith(u'/') ? folder : QString(folder + u'/'));
}

bool isMadeUp(const QString& path)
{
    return isBelow(path, QStringLiteral("/proc")) || isBelow(path, QStringLiteral("/sys"))
           || isBelow(path, QStringLiteral("/dev"));
}

}  // namespace

ModulePlaces::ModulePlaces(const std::vector<RecordedModule>& modules)
{
    struct Border {
        std::uint64_t at;
        bool isBegin;
        std::size_t module;
    };
    std::vector<Border> borders;
    for (std::size_t i = 0; i < modules.size(); ++i) {
        if (modules[i].begin >= modules[i].end) continue;
        borders.push_back({modules[i].begin, true, i});
        borders.push_back({modules[i].end, false, i});
    }
    std::sort(borders.begin(), borders.end(), [](const Border& a, const Border& b) {
        return std::tie(a.at, a.isBegin, a.module) < std::tie(b.at, b.isBegin, b.module);
    });
    std::set<std::size_t> open;
    for (std::size_t i = 0; i < borders.size(); ++i) {
        if (borders[i].isBegin) open.insert(borders[i].module);
        else open.erase(borders[i].module);
        if (i + 1 < borders.size() && borders[i + 1].at == borders[i].at) continue;
        m_parts.push_back({borders[i].at, open.empty() ? nullptr : &modules[*open.rbegin()]});
    }
}

const RecordedModule* ModulePlaces::of(std::uint64_t address) const
{
    const auto next = std::upper_bound(m_parts.begin(), m_parts.end(), address,
                                       [](std::uint64_t at, const Part& part) { return at < part.begin; });
    return next == m_parts.begin() ? nullptr : std::prev(next)->module;
}

QByteArray readableModule(const RecordedModule& module, const QString& folder)
{
    const QString path = QFile::decodeName(module.path);
    if (!path.startsWith(u'/') || !otherHostOf(path).isEmpty() || isMadeUp(QDir::cleanPath(path))) return {};
    // A path may lead through links of this machine, as /lib does; where it ends counts.
    if (whereLeads(path, {}) != Leads::Here) return {};
    const QString real = QFileInfo(path).canonicalFilePath();
    if (real.isEmpty() || isMadeUp(real) || isBelow(real, QFileInfo(folder).canonicalFilePath())) return {};
    QByteArray name = QFile::encodeName(real);
    return isElf(name) ? name : QByteArray();
}

}  // namespace longpole
