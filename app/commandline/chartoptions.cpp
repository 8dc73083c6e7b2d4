// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commandline/chartoptions.h"

#include <QFileInfo>
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
    const QString ending = QFileInfo(line.value("o")).suffix().toLower();
    const bool byEnding = line.has("o") && !line.has("json") && !line.has("csv");
    output.picture.isVector = ending == QLatin1String("svg");
    output.isPicture = byEnding && (output.picture.isVector || ending == QLatin1String("png"));
    const bool isText = ending == QLatin1String("json") || ending == QLatin1String("csv")
                        || ending == QLatin1String("txt");
    if (byEnding && !output.isPicture && !isText) {
        usageError(line.command,
                   tr("-o takes a file that ends in .png, .svg, .json, .csv or .txt, not '%1'").arg(line.value("o")));
        return {};
    }
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
