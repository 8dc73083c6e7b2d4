// SPDX-License-Identifier: GPL-3.0-or-later
// Removes by what files are, and follows no link.
#include "app/common/scratchfolder.h"

#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QRandomGenerator>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {

namespace {

namespace fs = std::filesystem;

QByteArray randomLetters()
{
    constexpr int letters = 8, base = 36;
    QByteArray text;
    for (int i = 0; i < letters; ++i) text += QByteArray::number(QRandomGenerator::system()->bounded(base), base);
    return text;
}

bool isPrivate(int folder)
{
    struct stat status {};
    return ::fstat(folder, &status) == 0 && (status.st_mode & 077) == 0;
}

}  // namespace

ScratchFolder::ScratchFolder(const QString& above, const QString& prefix)
    : m_above(::open(QFile::encodeName(above).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC))
{
    if (!m_above.isValid()) {
        m_error = qt_error_string(errno);
        return;
    }
    make(prefix);
    m_named = QDir(above).absoluteFilePath(QFile::decodeName(m_name));
}

ScratchFolder::ScratchFolder(const QString& prefix) : ScratchFolder(QDir::tempPath(), prefix) {}

void ScratchFolder::make(const QString& prefix)
{
    int made = -1;
    for (int tries = 100; made != 0 && tries > 0; --tries) {
        m_name = QFile::encodeName(prefix) + randomLetters();
        made = ::mkdirat(m_above.descriptor(), m_name.constData(), 0700);
        if (made != 0 && errno != EEXIST) break;
    }
    if (made != 0) {
        m_error = qt_error_string(errno);
        return;
    }
    OpenFolder opened = OpenFolder::ownIn(m_above.descriptor(), m_name);
    const bool isOpen = opened.isValid() && isOpenAt(opened.path(), opened.descriptor());
    // Whatever is in it goes in the end: one that is not empty is another folder of the user's, given its name.
    if (isOpen && isPrivate(opened.descriptor()) && QDir(opened.path()).isEmpty(everything)) {
        m_folder = std::move(opened);
        return;
    }
    // By name it could be another one at any time.
    m_error = opened.isValid() && !isOpen ? tr("/proc is not there") : qt_error_string(EPERM);
    ::unlinkat(m_above.descriptor(), m_name.constData(), AT_REMOVEDIR);
}

ScratchFolder::~ScratchFolder()
{
    if (isValid()) remove();
}

void ScratchFolder::remove() const
{
    const fs::path folder = QFile::encodeName(filePath(QStringLiteral("."))).toStdString();
    std::error_code error;
    // A run can take its own rights away.
    ::fchmod(m_folder.descriptor(), 0700);
    for (fs::recursive_directory_iterator item(folder, error), end; !error && item != end; item.increment(error))
        if (item->symlink_status(error).type() == fs::file_type::directory)
            fs::permissions(item->path(), fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow,
                            error);
    for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error))
        fs::remove_all(item->path(), error);
    if (!error && ::unlinkat(m_above.descriptor(), m_name.constData(), AT_REMOVEDIR) != 0)
        error = std::error_code(errno, std::generic_category());
    if (error)
        qWarning("longpole: a folder cannot be removed (%s: %s)", qUtf8Printable(m_named), error.message().c_str());
}

}  // namespace longpole
