// SPDX-License-Identifier: GPL-3.0-or-later
// Qt encodes each frame as a PNG of its own; its image data is taken out and put behind a frame control chunk.
#include "views/drawing/basics/animatedpng.h"

#include "core/base/translate.h"

#include <QBuffer>
#include <QtEndian>

#include <zlib.h>

#include <cstring>

namespace longpole {

namespace {

constexpr int signatureLength = 8;

template <typename Number>
QByteArray bigEndian(Number value)
{
    QByteArray bytes(sizeof value, '\0');
    qToBigEndian(value, bytes.data());
    return bytes;
}

// Qt chooses the PNG's colour type by the image's format: all frames get one format, so that one header fits all.
QByteArray encoded(const QImage& frame)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    frame.convertToFormat(QImage::Format_RGB888).save(&buffer, "PNG");
    return buffer.data();
}

// The data of all chunks of a type, joined.
QByteArray chunksOf(const QByteArray& png, const char* type)
{
    QByteArray data;
    qsizetype at = signatureLength;
    while (at + 12 <= png.size()) {
        const auto length = static_cast<qsizetype>(qFromBigEndian<quint32>(png.constData() + at));
        if (std::memcmp(png.constData() + at + 4, type, 4) == 0) data += png.mid(at + 8, length);
        at += 12 + length;
    }
    return data;
}

}  // namespace

AnimatedPng::AnimatedPng(QIODevice& out, int frames, int delay) : m_out(out), m_frames(frames), m_delay(delay) {}

Result<> AnimatedPng::write(const QByteArray& bytes)
{
    if (m_out.write(bytes) == bytes.size()) return Unit{};
    return Error{.what = tr("The animation could not be written: %1.").arg(m_out.errorString()),
                 .where = {},
                 .hint = tr("Choose another folder or free some space.")};
}

Result<> AnimatedPng::writeChunk(const char* type, const QByteArray& data)
{
    const QByteArray typed = QByteArray(type, 4) + data;
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(typed.constData()), static_cast<uInt>(typed.size()));
    return write(bigEndian(static_cast<std::uint32_t>(data.size())) + typed
                 + bigEndian(static_cast<std::uint32_t>(crc)));
}

Result<> AnimatedPng::add(const QImage& frame)
{
    const QByteArray png = encoded(frame);
    const QByteArray header = chunksOf(png, "IHDR");
    if (m_added >= m_frames || header.isEmpty() || (m_added > 0 && header != m_header))
        return Error{.what = tr("A frame does not fit the others."),
                     .where = tr("frame %1").arg(m_added),
                     .hint = tr("All frames need the same size.")};
    if (m_added == 0) {
        m_header = header;
        if (auto written = write(png.left(signatureLength)); !written) return written;
        if (auto written = writeChunk("IHDR", header); !written) return written;
        const QByteArray forEver(4, '\0');
        const QByteArray control = bigEndian(static_cast<std::uint32_t>(m_frames)) + forEver;
        if (auto written = writeChunk("acTL", control); !written) return written;
    }
    const QByteArray control = bigEndian(m_sequence++) + bigEndian(static_cast<std::uint32_t>(frame.width()))
                               + bigEndian(static_cast<std::uint32_t>(frame.height()))
                               + QByteArray(8, '\0')  // the frame's place: the upper left corner
                               + bigEndian(static_cast<std::uint16_t>(m_delay)) + bigEndian(std::uint16_t{1000})
                               + QByteArray(2, '\0');  // the frame stays when it is over, and replaces what was there
    if (auto written = writeChunk("fcTL", control); !written) return written;
    const QByteArray data = chunksOf(png, "IDAT");
    ++m_added;
    // As plain image data, the first frame is the picture that programs without APNG show.
    if (m_added == 1) return writeChunk("IDAT", data);
    return writeChunk("fdAT", bigEndian(m_sequence++) + data);
}

Result<> AnimatedPng::finish()
{
    if (m_added != m_frames)
        return Error{.what = tr("The animation is incomplete."), .where = tr("frame %1").arg(m_added), .hint = {}};
    return writeChunk("IEND", {});
}

}  // namespace longpole
