// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/sqlitevfs.h"

#include "core/base/translate.h"
#include "core/file/filedata.h"

#include <QFile>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

namespace longpole {
namespace {

struct DescriptorFile {
    sqlite3_file base;  // first: SQLite sees this
    int descriptor;
};

int descriptorOf(sqlite3_file* file) { return reinterpret_cast<DescriptorFile*>(file)->descriptor; }

int closeFile(sqlite3_file* file)
{
    ::close(descriptorOf(file));
    return SQLITE_OK;
}

int readFile(sqlite3_file* file, void* to, int amount, sqlite3_int64 offset)
{
    auto* out = static_cast<char*>(to);
    int got = 0;
    while (got < amount) {
        const ssize_t n = ::pread(descriptorOf(file), out + got, static_cast<std::size_t>(amount - got), offset + got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return SQLITE_IOERR_READ;
        if (n == 0) break;
        got += static_cast<int>(n);
    }
    if (got == amount) return SQLITE_OK;
    std::memset(out + got, 0, static_cast<std::size_t>(amount - got));
    return SQLITE_IOERR_SHORT_READ;
}

int sizeOfFile(sqlite3_file* file, sqlite3_int64* bytes)
{
    struct stat status {};
    if (::fstat(descriptorOf(file), &status) != 0) return SQLITE_IOERR_FSTAT;
    *bytes = status.st_size;
    return SQLITE_OK;
}

int writeFile(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset)
{
    const auto* bytes = static_cast<const char*>(from);
    for (int done = 0; done < amount;) {
        const ssize_t n = ::pwrite(descriptorOf(file), bytes + done, static_cast<std::size_t>(amount - done),
                                   offset + done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n == 0 || errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE;
        done += static_cast<int>(n);
    }
    return SQLITE_OK;
}

int cutFile(sqlite3_file* file, sqlite3_int64 bytes)
{
    return ::ftruncate(descriptorOf(file), bytes) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

const sqlite3_io_methods& fileMethods()
{
    static const sqlite3_io_methods methods = [] {
        sqlite3_io_methods m{};
        m.iVersion = 1;
        m.xClose = closeFile;
        m.xRead = readFile;
        m.xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; };
        m.xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; };
        m.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
        m.xFileSize = sizeOfFile;
        m.xLock = [](sqlite3_file*, int) { return SQLITE_OK; };
        m.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
        m.xCheckReservedLock = [](sqlite3_file*, int* reserved) { return *reserved = 0, SQLITE_OK; };
        m.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
        m.xSectorSize = [](sqlite3_file*) { return 4096; };
        m.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; };
        return m;
    }();
    return methods;
}

const sqlite3_io_methods& writtenMethods()
{
    static const sqlite3_io_methods methods = [] {
        sqlite3_io_methods m = fileMethods();
        m.xWrite = writeFile;
        m.xTruncate = cutFile;
        m.xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; };
        return m;
    }();
    return methods;
}

// Only a main database, only by a descriptor: journals and temporary files are refused.
int openFile(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* outFlags)
{
    file->pMethods = nullptr;
    if (!name || (flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;
    const sqlite3_int64 given = sqlite3_uri_int64(name, "descriptor", -1);
    const int own = given < 0 ? -1 : ::fcntl(static_cast<int>(given), F_DUPFD_CLOEXEC, 3);
    if (own < 0) return SQLITE_CANTOPEN;
    reinterpret_cast<DescriptorFile*>(file)->descriptor = own;
    const bool isWritten = (flags & SQLITE_OPEN_READWRITE) != 0;
    file->pMethods = isWritten ? &writtenMethods() : &fileMethods();
    if (outFlags) *outFlags = isWritten ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

sqlite3_vfs makeVfs(const sqlite3_vfs& system)
{
    sqlite3_vfs vfs = system;
    vfs.szOsFile = sizeof(DescriptorFile);
    vfs.pNext = nullptr;
    vfs.zName = "longpole-descriptor";
    vfs.xOpen = openFile;
    vfs.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
    vfs.xAccess = [](sqlite3_vfs*, const char*, int, int* there) { return *there = 0, SQLITE_OK; };
    vfs.xFullPathname = [](sqlite3_vfs*, const char* name, int size, char* out) {
        return std::snprintf(out, static_cast<std::size_t>(size), "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
    };
    return vfs;
}

}  // namespace

StoreFile::StoreFile(int descriptor, QString path)
    : m_descriptor(descriptor), m_path(std::move(path)), m_bytes(explainedBytes(descriptor))
{
}

Result<std::shared_ptr<const StoreFile>> StoreFile::open(const QString& path)
{
    const int descriptor = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return Error{.what = errno == ENOENT ? tr("There is no such file.") : tr("The file cannot be read."),
                     .where = path,
                     .hint = tr("Check the name and your rights.")};
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        ::close(descriptor);
        return Error{.what = tr("This is no ordinary file."),
                     .where = path,
                     .hint = tr("Check the name and your rights.")};
    }
    return std::shared_ptr<const StoreFile>(new StoreFile(descriptor, path));
}

StoreFile::~StoreFile() { ::close(m_descriptor); }

std::int64_t StoreFile::length() const
{
    struct stat status {};
    return ::fstat(m_descriptor, &status) == 0 ? std::int64_t{status.st_size} : 0;
}

const char* descriptorVfs()
{
    static sqlite3_vfs* const vfs = [] {
        const sqlite3_vfs* const system = sqlite3_vfs_find(nullptr);
        if (!system) return static_cast<sqlite3_vfs*>(nullptr);
        static sqlite3_vfs ours = makeVfs(*system);
        return sqlite3_vfs_register(&ours, 0) == SQLITE_OK ? &ours : nullptr;
    }();
    return vfs ? vfs->zName : nullptr;
}

}  // namespace longpole
