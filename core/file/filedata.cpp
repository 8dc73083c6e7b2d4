// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/filedata.h"

#include "core/base/translate.h"

#include <QFile>

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

std::int64_t lengthOf(int descriptor)
{
    struct stat status {};
    return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) ? std::int64_t{status.st_size} : 0;
}

}  // namespace

std::int64_t explainedBytes(int descriptor)
{
    constexpr std::int64_t somePages = 1 << 16;
    const std::int64_t length = lengthOf(descriptor);
    const off_t place = ::lseek(descriptor, 0, SEEK_CUR);  // whoever reads goes on there
    std::int64_t most = somePages;
    for (off_t at = 0; most < length;) {
        const off_t begin = ::lseek(descriptor, at, SEEK_DATA);
        const bool isAtEnd = begin < 0 && errno == ENXIO;
        at = begin < 0 ? begin : ::lseek(descriptor, begin, SEEK_HOLE);
        if (isAtEnd) break;
        most = at <= begin ? length : most + 2 * (at - begin);  // it does not tell
    }
    if (place >= 0) ::lseek(descriptor, place, SEEK_SET);
    return std::min(most, length);
}

std::int64_t explainedBytes(const QString& path)
{
    const int file = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return 0;
    const std::int64_t bytes = explainedBytes(file);
    ::close(file);
    return bytes;
}

std::int64_t BytesOfFiles::add(const QString& path)
{
    constexpr std::int64_t small = 1 << 14;  // is taken as it is: a run may have 100,000 of them
    struct stat status {};
    if (::stat(QFile::encodeName(path).constData(), &status) != 0 || !S_ISREG(status.st_mode)
        || !m_added.insert({status.st_dev, status.st_ino}).second)
        return 0;
    const std::int64_t bytes = status.st_size > small ? explainedBytes(path) : std::int64_t{status.st_size};
    m_sum += bytes;
    return bytes;
}

Result<> checkIsWritten(int descriptor, const QString& path)
{
    if (explainedBytes(descriptor) == lengthOf(descriptor)) return Unit{};
    return Error{.what = tr("Most of the file is holes: nobody has written it."),
                 .where = path,
                 .hint = tr("It was cut or copied in part; copy it again.")};
}

}  // namespace longpole
