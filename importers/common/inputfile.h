// SPDX-License-Identifier: GPL-3.0-or-later
// A plain or gzip file (or bytes in memory) as one stream of bytes, inflated block by block; knows how it ended, and
// refuses one that expands like a bomb. Memory: 128 KiB and the inflater's state.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <memory>
#include <span>

class QIODevice;

namespace longpole {

class InputFile {
public:
    // How the stream ended, known once read() has given 0.
    enum class End : std::uint8_t {
        Whole,
        Cut,            // the compressed stream stops before its end; everything that could be inflated was given
        Damaged,        // the compressed stream is not valid from some place on
        WrongChecksum,  // everything was given, but a member's checksum or length differs
        TrailingBytes,  // bytes that are no gzip member follow the last one; they are left out
    };

    // Errors: it is no ordinary file, or a link to what the kernel makes up, which may have no end.
    static Result<std::unique_ptr<InputFile>> open(const QString& path);
    static std::unique_ptr<InputFile> fromBytes(const QByteArray& bytes, const QString& name);
    ~InputFile();

    // Fills `into` from its start with as much as the stream has; 0 at its end. Errors: reading failed; it
    // expands beyond limits::inflated; it is no ordinary file.
    Result<std::size_t> read(std::span<char> into);

    End end() const { return m_end; }
    bool isCompressed() const { return m_compressed; }
    std::int64_t consumed() const { return m_consumed; }     // bytes of the file read so far
    std::int64_t inflated() const { return m_inflatedOut; }  // bytes that they became; 0 of a plain file
    const QString& name() const { return m_name; }

private:
    struct Inflater;
    InputFile(std::unique_ptr<QIODevice> device, QString name);

    Result<> begin();
    Result<bool> fill();  // false: end of file
    Result<std::size_t> readPlain(std::span<char> into);
    Result<std::size_t> readCompressed(std::span<char> into);
    // Starts the next member if one follows; false at the end of the stream.
    Result<bool> nextMember();
    bool isBomb() const;
    Error bomb() const;

    std::unique_ptr<QIODevice> m_device;
    QString m_name;
    std::unique_ptr<Inflater> m_inflater;
    std::unique_ptr<char[]> m_buffer;
    std::size_t m_begin = 0;  // of the unread part of the buffer
    std::size_t m_filled = 0;
    std::int64_t m_consumed = 0;
    std::int64_t m_inflatedIn = 0;  // of all members: many small ones expand as far as a large one
    std::int64_t m_inflatedOut = 0;
    bool m_compressed = false;
    bool m_done = false;
    End m_end = End::Whole;
};

}  // namespace longpole
