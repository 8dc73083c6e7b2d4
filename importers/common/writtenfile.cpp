// SPDX-License-Identifier: GPL-3.0-or-later
// Plain and gzip output by way of one buffer. The gzip header names neither file nor time, so that the same bytes in
// give the same bytes out.
#include "importers/common/writtenfile.h"

#include "core/base/partfile.h"
#include "core/base/translate.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace longpole {
namespace {

constexpr std::size_t writeBufferSize = 128ul * 1024;
constexpr int compressionLevel = 6;  // as the tracer's own logs

Error diskError(const QString& what, const QString& path, int number)
{
    const bool isFull = number == ENOSPC || number == EDQUOT;
    return Error{.what = what.arg(qt_error_string(number)),
                 .where = path,
                 .hint = isFull ? tr("Free some space, or choose a folder on another disk.")
                                : tr("Choose a folder that you may write.")};
}

}  // namespace

struct WrittenFile::Deflater {
    z_stream stream{};
    bool isReady = deflateInit2(&stream, compressionLevel, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;

    ~Deflater()
    {
        if (isReady) deflateEnd(&stream);
    }
};

WrittenFile::WrittenFile(int descriptor, QString path)
    : m_descriptor(descriptor), m_path(std::move(path)), m_buffer(new char[writeBufferSize])
{
}

WrittenFile::~WrittenFile()
{
    if (m_descriptor >= 0) ::close(m_descriptor);
}

Result<std::unique_ptr<WrittenFile>> WrittenFile::create(const QString& path, bool isCompressed, int folder)
{
    const QByteArray name = QFile::encodeName(folder == AT_FDCWD ? path : QFileInfo(path).fileName());
    const int descriptor = ::openat(folder, name.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return diskError(tr("The file cannot be created: %1."), path, errno);
    ::fchmod(descriptor, ordinaryMode());  // of the mask, which open() does not ask in a folder with an access list
    std::unique_ptr<WrittenFile> file(new WrittenFile(descriptor, path));
    if (isCompressed) {
        file->m_deflater = std::make_unique<Deflater>();
        if (!file->m_deflater->isReady) return diskError(tr("The file cannot be compressed: %1."), path, ENOMEM);
    }
    return file;
}

bool WrittenFile::write(std::string_view bytes)
{
    return m_deflater ? deflate(bytes, false) : put(bytes.data(), bytes.size());
}

bool WrittenFile::deflate(std::string_view bytes, bool isLast)
{
    z_stream& stream = m_deflater->stream;
    do {
        const std::size_t part = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream.avail_in = static_cast<uInt>(part);
        bytes.remove_prefix(part);
        do {
            if (m_filled == writeBufferSize && !flush()) return false;
            stream.next_out = reinterpret_cast<Bytef*>(m_buffer.get() + m_filled);
            stream.avail_out = static_cast<uInt>(writeBufferSize - m_filled);
            ::deflate(&stream, isLast && bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
            m_filled = writeBufferSize - stream.avail_out;
        } while (stream.avail_out == 0);
    } while (!bytes.empty());
    return m_error == 0;
}

bool WrittenFile::put(const char* bytes, std::size_t size)
{
    while (size > 0) {
        if (m_filled == writeBufferSize && !flush()) return false;
        const std::size_t part = std::min(size, writeBufferSize - m_filled);
        std::memcpy(m_buffer.get() + m_filled, bytes, part);
        m_filled += part;
        bytes += part;
        size -= part;
    }
    return m_error == 0;
}

bool WrittenFile::flush()
{
    std::size_t done = 0;
    while (m_error == 0 && done < m_filled) {
        const ssize_t written = ::write(m_descriptor, m_buffer.get() + done, m_filled - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) m_error = errno;
        else done += static_cast<std::size_t>(written);
    }
    m_bytes += static_cast<std::int64_t>(done);
    m_filled = 0;
    return m_error == 0;
}

Result<> WrittenFile::finish()
{
    if (m_deflater && m_error == 0) deflate({}, true);
    flush();
    if (::close(std::exchange(m_descriptor, -1)) != 0 && m_error == 0) m_error = errno;
    if (m_error != 0) return diskError(tr("The file could not be written: %1."), m_path, m_error);
    return Unit{};
}

}  // namespace longpole
