// SPDX-License-Identifier: GPL-3.0-or-later
// What commands that answer with a table or a chart have in common: pictures beside text, CSV and JSON.
#pragma once

#include "app/commandline/commandline.h"
#include "app/output/output.h"
#include "views/drawing/pictures/renderhistogram.h"

#include <QSize>

#include <optional>

namespace longpole {

// What --size asks for, `otherwise` without it. A height of 0: as high as needed. Empty after a usage error, which was
// said.
std::optional<QSize> pictureSize(const CommandLine& line, QSize otherwise);

struct ChartOutput {
    OutputFormat format = OutputFormat::Text;
    bool isPicture = false;
    ChartPicture picture{};
};

// What --json, --csv, the ending of -o (.json .csv .txt .png .svg), --theme and --size say. Empty after a usage error,
// which was said.
std::optional<ChartOutput> chartOutput(const CommandLine& line);

// A size whose zeros are those of `usual`.
QSize completed(QSize chosen, QSize usual);

// Writes the picture that `draw` makes, or says its error.
ExitCode deliverPicture(const CommandLine& line, const Result<QByteArray>& picture);

}  // namespace longpole
