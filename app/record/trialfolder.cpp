// SPDX-License-Identifier: GPL-3.0-or-later
// Copies by what files are, and removes by what they are: neither follows a link.
#include "app/record/trialfolder.h"

#include "core/base/mayneverend.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QtGlobal>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace longpole {

namespace {

constexpr const char* trialPrefix = ".longpole-try-";

namespace fs = std::filesystem;

fs::path pathOf(const QString& path) { return QFile::encodeName(path).toStdString(); }

// Copies what lies in a folder, but not `without`: where the copy lies in it, it would get a copy of itself, and so on.
class FolderCopy {
public:
    FolderCopy(fs::path from, const fs::path& to, fs::path without, const Progress& progress)
        : m_from(std::move(from)), m_without(std::move(without)), m_progress(progress)
    {
        m_from = fs::canonical(m_from, m_error);
        if (!m_error) copy(m_from, to);
    }
    const std::error_code& error() const { return m_error; }

private:
    void copy(const fs::path& from, const fs::path& to)
    {
        fs::create_directory(to, from, m_error);  // with its rights, which may keep anything from being put there
        const fs::perms rights = m_error ? fs::perms::none : fs::status(to, m_error).permissions();
        if (!m_error) fs::permissions(to, rights | fs::perms::owner_all, m_error);
        copyItems(from, to);
        if (!isOver()) fs::permissions(to, rights, m_error);
    }

    void copyItems(const fs::path& from, const fs::path& to)
    {
        for (fs::directory_iterator item(from, m_error), end; !isOver() && item != end; item.increment(m_error)) {
            const fs::path target = to / item->path().filename();
            const fs::file_type type = fs::symlink_status(item->path(), m_error).type();
            if (m_error) return;
            if (type == fs::file_type::symlink) copyLink(item->path(), target);
            else if (type == fs::file_type::regular) copyFile(item->path(), target);
            else if (type == fs::file_type::fifo) copyPipe(target);
            else if (type != fs::file_type::directory) continue;  // a socket is of the program that made it
            else if (!isTrial(item->path()) && !m_error) copy(item->path(), target);
            if (m_error) return;
        }
    }
    bool isOver() const { return m_error || m_progress.isCancelled(); }

    // This one's folder, or one that a trial which was killed has left.
    bool isTrial(const fs::path& folder)
    {
        return folder.filename().string().rfind(trialPrefix, 0) == 0 || fs::equivalent(folder, m_without, m_error);
    }

    // Whether a relative link never leads above the folder: by its parts, none of which before a ".." is a link itself.
    bool staysInside(const fs::path& folder, const fs::path& target) const
    {
        int depth = 0;
        for (const fs::path& part : folder.lexically_relative(m_from)) depth += part == "." ? 0 : 1;
        fs::path at = folder;
        bool isOverLink = false;
        for (const fs::path& part : target) {
            if (part == "." || part.empty()) continue;
            if (part == "..") {
                if (isOverLink || --depth < 0) return false;
                at = at.parent_path();
                continue;
            }
            ++depth;
            at /= part;
            std::error_code unknown;
            isOverLink = isOverLink || fs::is_symlink(fs::symlink_status(at, unknown));
        }
        return true;
    }

    // What leads into the folder by its whole path, or over folders around it, leads into the copy from where it lies
    // there: a run would write into the folder, and the copy's own name may be given to another one. What leads out of
    // it leads to the same place from the copy.
    void copyLink(const fs::path& from, const fs::path& to)
    {
        const fs::path target = fs::read_symlink(from, m_error);
        if (m_error) return;
        const auto isInside = [](const fs::path& relative) { return !relative.empty() && *relative.begin() != ".."; };
        const auto textOf = [](const fs::path& path) { return QFile::decodeName(path.c_str()); };
        fs::path leads = from.parent_path() / target;
        if (target.is_relative() && staysInside(from.parent_path(), target)) {
            leads = target;
        } else if (whereLeads(textOf(leads), textOf(m_from)) != Leads::ToOtherHost) {
            std::error_code unknown;  // the link may lead nowhere
            const fs::path inside = fs::weakly_canonical(leads, unknown).lexically_relative(m_from);
            if (!unknown && isInside(inside))
                leads = (m_from / inside).lexically_normal().lexically_relative(from.parent_path());
        }
        fs::create_symlink(leads, to, m_error);
    }

    // A pipe is a name for what programs tell each other: those that are tried have one of their own.
    void copyPipe(const fs::path& to)
    {
        if (::mkfifo(to.c_str(), 0600) != 0) fail();
    }

    // In blocks, so that it ends when it is told to; with its holes, which may be larger than the disk; and as old as
    // what is copied, for make and the like.
    void copyFile(const fs::path& from, const fs::path& to)
    {
        const Descriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        const Descriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        struct stat status {};
        if (in.number < 0 || out.number < 0 || ::fstat(in.number, &status) != 0) return fail();
        if (status.st_nlink > 1) {  // a file of many names is one in the copy, too
            const auto [known, isNew] = m_copies.try_emplace({status.st_dev, status.st_ino}, to);
            if (!isNew) {
                fs::remove(to, m_error);
                if (!m_error) fs::create_hard_link(known->second, to, m_error);
                return;
            }
        }
        struct statvfs disk {};
        constexpr std::uint64_t blockBytes = 512;  // of st_blocks
        if (::fstatvfs(out.number, &disk) == 0
            && static_cast<std::uint64_t>(status.st_blocks) > disk.f_bavail * disk.f_frsize / blockBytes)
            return fail(ENOSPC);
        off_t end = 0;
        while (!isOver()) {
            off_t begin = ::lseek(in.number, end, SEEK_DATA);
            if (begin < 0 && errno == ENXIO) break;  // none behind
            if (begin < 0) begin = end;              // not known: all of it
            end = ::lseek(in.number, begin, SEEK_HOLE);
            if (end < 0) end = status.st_size;
            if (end <= begin) break;
            copyPart(in.number, out.number, begin, end);
        }
        if (isOver()) return;
        const std::array times{status.st_atim, status.st_mtim};
        if (::ftruncate(out.number, status.st_size) != 0 || ::fchmod(out.number, status.st_mode & 07777) != 0
            || ::futimens(out.number, times.data()) != 0)
            fail();
    }

    void copyPart(int in, int out, off_t begin, off_t end)
    {
        while (!isOver() && begin < end) {
            const auto most = std::min(static_cast<off_t>(m_block.size()), end - begin);
            const ssize_t read = ::pread(in, m_block.data(), static_cast<std::size_t>(most), begin);
            if (read < 0) return fail();
            if (read == 0) return;  // it has been cut meanwhile
            for (ssize_t done = 0; done < read;) {
                const ssize_t written = ::pwrite(out, m_block.data() + done, static_cast<std::size_t>(read - done),
                                                 begin + done);
                if (written <= 0) return fail(written == 0 ? ENOSPC : errno);
                done += written;
            }
            begin += read;
        }
    }

    void fail(int number = errno) { m_error = std::error_code(number != 0 ? number : EIO, std::generic_category()); }

    struct Descriptor {
        explicit Descriptor(int opened) : number(opened) {}
        ~Descriptor()
        {
            if (number >= 0) ::close(number);
        }
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;
        const int number;
    };

    fs::path m_from;
    fs::path m_without;
    const Progress& m_progress;
    std::error_code m_error;
    std::map<std::pair<dev_t, ino_t>, fs::path> m_copies;
    std::vector<char> m_block = std::vector<char>(std::size_t{1} << 20);
};

}  // namespace

TrialFolder::TrialFolder() : ScratchFolder(QStringLiteral("."), QLatin1String(trialPrefix)) {}

Result<QString> TrialFolder::copyOf(const QString& folder, const Progress& progress) const
{
    QString to = filePath(QStringLiteral("copy"));
    const FolderCopy copy(pathOf(folder), pathOf(to), pathOf(filePath(QStringLiteral("."))), progress);
    if (progress.isCancelled()) return cancelledError();
    if (!copy.error()) return to;
    return Error{tr("The folder cannot be copied: %1.").arg(QString::fromStdString(copy.error().message())),
                 folder,
                 {}};
}

}  // namespace longpole
