// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/chartoptions.h"

#include <QRegularExpression>

namespace longpole {

namespace {

constexpr int largestSide = 20'000;  // pixels

}  // namespace

std::optional<QSize> pictureSize(const CommandLine& line, QSize otherwise)
{
    if (!line.has("size")) return otherwise;
    static const QRegularExpression form(QStringLiteral(R"(^(\d{1,6})(?:[xX](\d{1,6}))?$)"));
    const QRegularExpressionMatch match = form.match(line.value("size"));
    const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
    const bool right = match.hasMatch() && size.width() >= 200 && size.width() <= largestSide
                       && size.height() <= largestSide && (match.captured(2).isEmpty() || size.height() >= 60);
    if (right) return size;
    usageError(line.command, tr("--size takes WIDTHxHEIGHT in pixels, from 200x60 to %1x%1, not '%2'")
                                 .arg(largestSide)
                                 .arg(line.value("size")));
    return {};
}

std::optional<ChartOutput> chartOutput(const CommandLine& line)
{
    ChartOutput output;
    output.picture.isVector = line.output.ending == QLatin1String("svg");
    const bool byEnding = !line.has("json") && !line.has("csv");
    output.isPicture = byEnding && (output.picture.isVector || line.output.ending == QLatin1String("png"));
    if (!output.isPicture) {
        const auto format = outputFormat(line);
        if (!format) return {};
        output.format = *format;
    }
    const auto size = pictureSize(line, {0, 0});
    if (!size) return {};
    output.picture.size = *size;
    if (line.value("theme") == QLatin1String("dark")) output.picture.theme = darkTheme();
    return output;
}

QSize completed(QSize chosen, QSize usual)
{
    return {chosen.width() > 0 ? chosen.width() : usual.width(),
            chosen.height() > 0 ? chosen.height() : usual.height()};
}

ExitCode deliverPicture(const CommandLine& line, const Result<QByteArray>& picture)
{
    if (!picture) return fail(picture.error());
    return deliver(line, [&](Output& output) { output.write(*picture); });
}

}  // namespace longpole
