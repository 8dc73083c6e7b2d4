// SPDX-License-Identifier: GPL-3.0-or-later
// The options that commands share which answer with a table or a chart: a picture beside text, CSV and JSON.
#pragma once

#include "app/commandline/commandline.h"
#include "app/output/output.h"
#include "views/drawing/pictures/renderhistogram.h"

#include <QSize>

#include <optional>

namespace longpole {

// The size that --size gives, `otherwise` without it. A height of 0 means as high as needed. Empty after a usage error,
// which was printed.
std::optional<QSize> pictureSize(const CommandLine& line, QSize otherwise);

struct ChartOutput {
    OutputFormat format = OutputFormat::Text;
    bool isPicture = false;
    ChartPicture picture{};
};

// The output that --json, --csv, the ending of -o (.json .csv .txt .png .svg), --theme and --size ask for. Empty after
// a usage error, which was printed.
std::optional<ChartOutput> chartOutput(const CommandLine& line);

// `chosen` with zeros replaced by the sides of `usual`.
QSize completed(QSize chosen, QSize usual);

// Writes the picture, or prints the error.
ExitCode deliverPicture(const CommandLine& line, const Result<QByteArray>& picture);

}  // namespace longpole
