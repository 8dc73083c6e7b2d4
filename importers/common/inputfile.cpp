// SPDX-License-Identifier: GPL-3.0-or-later
// Plain and gzip input: ISA-L's streaming inflate with a reset between members, zlib where ISA-L is not there.
#include "importers/common/inputfile.h"

#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "core/file/filedata.h"

#include <QBuffer>
#include <QFile>

#include <algorithm>
#include <cstring>
#include <new>

#ifdef LONGPOLE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

namespace longpole {
namespace {

constexpr std::size_t readBufferSize = 1 << 17;

}  // namespace

// One member's inflater: moves bytes from `in` to `out` and says whether the member ended.
struct InputFile::Inflater {
    enum class State : std::uint8_t { Running, Ended, EndedWrong, Damaged };

#ifdef LONGPOLE_ISAL
    inflate_state stream;

    Inflater() { start(); }
    void start()
    {
        isal_inflate_init(&stream);
        stream.crc_flag = ISAL_GZIP;
    }
    State step(std::span<const char> in, std::span<char> out, std::size_t& used, std::size_t& made)
    {
        stream.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(in.data()));
        stream.avail_in = static_cast<std::uint32_t>(in.size());
        stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
        stream.avail_out = static_cast<std::uint32_t>(out.size());
        const int status = isal_inflate(&stream);
        used = in.size() - stream.avail_in;
        made = out.size() - stream.avail_out;
        if (status == ISAL_INCORRECT_CHECKSUM) return State::EndedWrong;
        if (status < 0) return State::Damaged;
        return stream.block_state == ISAL_BLOCK_FINISH ? State::Ended : State::Running;
    }
#else
    z_stream stream{};

    Inflater()
    {
        if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream); }
    void start() { inflateReset(&stream); }
    State step(std::span<const char> in, std::span<char> out, std::size_t& used, std::size_t& made)
    {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        stream.avail_in = static_cast<uInt>(in.size());
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        const int status = inflate(&stream, Z_NO_FLUSH);
        used = in.size() - stream.avail_in;
        made = out.size() - stream.avail_out;
        if (status == Z_STREAM_END) return State::Ended;
        if (status == Z_OK || status == Z_BUF_ERROR) return State::Running;
        const bool checksum = stream.msg != nullptr
                              && (std::strcmp(stream.msg, "incorrect data check") == 0
                                  || std::strcmp(stream.msg, "incorrect length check") == 0);
        return checksum ? State::EndedWrong : State::Damaged;
    }
#endif
};

InputFile::InputFile(std::unique_ptr<QIODevice> device, QString name)
    : m_device(std::move(device)), m_name(std::move(name)), m_buffer(new char[readBufferSize])
{
}

InputFile::~InputFile() = default;

Result<std::unique_ptr<InputFile>> InputFile::open(const QString& path)
{
    if (mayNeverEnd(path))
        return Error{.what = tr("This is no ordinary file."), .where = path, .hint = tr("Check its name.")};
    auto file = std::make_unique<QFile>(path);
    if (!file->open(QIODevice::ReadOnly | QIODevice::Unbuffered)) {
        return Error{.what = tr("The file could not be opened: %1.").arg(file->errorString()),
                     .where = path,
                     .hint = tr("Check that it exists and that you may read it.")};
    }
    if (const Result<> written = checkIsWritten(file->handle(), path); !written) return written.error();
    std::unique_ptr<InputFile> input(new InputFile(std::move(file), path));
    if (Result<> begun = input->begin(); !begun) return begun.error();
    return input;
}

std::unique_ptr<InputFile> InputFile::fromBytes(const QByteArray& bytes, const QString& name)
{
    auto buffer = std::make_unique<QBuffer>();
    buffer->setData(bytes);
    buffer->open(QIODevice::ReadOnly);
    std::unique_ptr<InputFile> input(new InputFile(std::move(buffer), name));
    if (!input->begin()) input->m_done = true;
    return input;
}

Result<> InputFile::begin()
{
    // Two bytes decide, and a device may give them one by one.
    while (m_filled < 2) {
        Result<bool> more = fill();
        if (!more) return more.error();
        if (!*more) break;
    }
    m_compressed = m_filled >= 2 && m_buffer[0] == '\x1f' && m_buffer[1] == '\x8b';
    if (m_compressed) m_inflater = std::make_unique<Inflater>();
    return Unit{};
}

Result<bool> InputFile::fill()
{
    if (m_begin == m_filled) m_begin = m_filled = 0;
    if (m_filled == readBufferSize) {
        std::memmove(m_buffer.get(), m_buffer.get() + m_begin, m_filled - m_begin);
        m_filled -= m_begin;
        m_begin = 0;
    }
    const qint64 got = m_device->read(m_buffer.get() + m_filled, static_cast<qint64>(readBufferSize - m_filled));
    if (got < 0) {
        return Error{.what = tr("The file could not be read: %1.").arg(m_device->errorString()),
                     .where = m_name,
                     .hint = tr("Check the disk or the network share it lies on.")};
    }
    m_filled += static_cast<std::size_t>(got);
    m_consumed += got;
    return got > 0;
}

Result<std::size_t> InputFile::read(std::span<char> into)
{
    if (m_done || into.empty()) return std::size_t{0};
    return m_compressed ? readCompressed(into) : readPlain(into);
}

Result<std::size_t> InputFile::readPlain(std::span<char> into)
{
    std::size_t given = 0;
    while (given < into.size()) {
        if (m_begin == m_filled) {
            Result<bool> more = fill();
            if (!more) return more.error();
            if (!*more) {
                m_done = true;
                break;
            }
        }
        const std::size_t part = std::min(into.size() - given, m_filled - m_begin);
        std::memcpy(into.data() + given, m_buffer.get() + m_begin, part);
        m_begin += part;
        given += part;
    }
    return given;
}

Result<std::size_t> InputFile::readCompressed(std::span<char> into)
{
    std::size_t given = 0;
    while (given < into.size() && !m_done) {
        bool atEnd = false;
        if (m_begin == m_filled) {
            Result<bool> more = fill();
            if (!more) return more.error();
            atEnd = !*more;
        }
        std::size_t used = 0;
        std::size_t made = 0;
        const Inflater::State state = m_inflater->step({m_buffer.get() + m_begin, m_filled - m_begin},
                                                       into.subspan(given), used, made);
        m_begin += used;
        given += made;
        m_inflatedIn += static_cast<std::int64_t>(used);
        m_inflatedOut += static_cast<std::int64_t>(made);
        if (isBomb()) return bomb();

        if (state == Inflater::State::Running) {
            if (used > 0 || made > 0) continue;
            if (!atEnd && m_begin == m_filled) continue;
            m_end = atEnd ? End::Cut : End::Damaged;
            m_done = true;
        } else if (state == Inflater::State::Damaged) {
            m_end = End::Damaged;
            m_done = true;
        } else {
            if (state == Inflater::State::EndedWrong) m_end = End::WrongChecksum;
            Result<bool> next = nextMember();
            if (!next) return next.error();
            m_done = !*next;
        }
    }
    return given;
}

Result<bool> InputFile::nextMember()
{
    while (m_filled - m_begin < 2) {
        Result<bool> more = fill();
        if (!more) return more.error();
        if (!*more) break;
    }
    const std::size_t left = m_filled - m_begin;
    if (left == 0) return false;
    const bool magic = m_buffer[m_begin] == '\x1f' && (left == 1 || m_buffer[m_begin + 1] == '\x8b');
    if (!magic) {
        if (m_end == End::Whole) m_end = End::TrailingBytes;
        return false;
    }
    m_inflater->start();
    return true;
}

bool InputFile::isBomb() const { return m_inflatedOut > limits::inflated.of(m_inflatedIn); }

Error InputFile::bomb() const
{
    return Error{.what = tr("The compressed file expands to more than %1 times its size.").arg(limits::inflated.per),
                 .where = m_name,
                 .hint = tr("No trace compresses so well; the file was not made by a tracer.")};
}

}  // namespace longpole
