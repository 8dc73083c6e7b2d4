// SPDX-License-Identifier: GPL-3.0-or-later
// Writes QImages as the frames of one animated PNG (APNG, PNG 3rd edition section 11.3.4), which Qt cannot.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QIODevice>
#include <QImage>

#include <cstdint>

namespace longpole {

// Frames are written one by one, so that no more than one is held in memory.
class AnimatedPng {
public:
    // `frames` (at least 1) will be added; each shows for `delay` ms, and after the last the first comes again.
    AnimatedPng(QIODevice& out, int frames, int delay);

    // Errors: the frame's size is not that of the first; there are `frames` already; what the device said.
    Result<> add(const QImage& frame);
    // Errors: fewer than `frames` were added; what the device said.
    Result<> finish();

private:
    Result<> write(const QByteArray& bytes);
    Result<> writeChunk(const char* type, const QByteArray& data);

    QIODevice& m_out;
    int m_frames;
    int m_delay;
    int m_added = 0;
    std::uint32_t m_sequence = 0;
    QByteArray m_header;  // IHDR of the first frame, which holds for all: the others must be coded in the same way
};

}  // namespace longpole
