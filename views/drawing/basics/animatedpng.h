// SPDX-License-Identifier: GPL-3.0-or-later
// Animated PNG (APNG, PNG 3rd edition section 11.3.4): QImages as the frames of one file, which Qt cannot write.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QIODevice>
#include <QImage>

#include <cstdint>

namespace longpole {

// Frame by frame, so that only one is held.
class AnimatedPng {
public:
    // `delay`: ms a frame is shown. `loops`: how often all are, 0: for ever. frames >= 1.
    AnimatedPng(QIODevice& out, int frames, int delay, int loops = 0);

    // All frames must have the size of the first. Errors: what the device said; a frame of another size; too many
    // frames.
    Result<> add(const QImage& frame);
    // Errors: frames are missing; what the device said.
    Result<> finish();

private:
    Result<> write(const QByteArray& bytes);
    Result<> writeChunk(const char* type, const QByteArray& data);

    QIODevice& m_out;
    int m_frames;
    int m_delay;
    int m_loops;
    int m_added = 0;
    std::uint32_t m_sequence = 0;
    QSize m_size;
    QByteArray m_header;  // of the first frame: the others must be coded in the same way
};

}  // namespace longpole
