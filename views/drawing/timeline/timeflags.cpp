// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/timeflags.h"

#include "views/drawing/basics/font.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr double padding = 4;

QString textOf(const TimeFlag& flag)
{
    if (flag.number == 0) return flag.note;
    const QString number = QString::number(flag.number);
    return flag.note.isEmpty() ? number : number % QStringLiteral(" · ") % flag.note;
}

}  // namespace

std::vector<FlagMark> flagMarks(std::span<const TimeFlag> flags, const TimeCoordinates& at)
{
    std::vector<FlagMark> marks;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const TimeRange range = flags[i].range;
        if (range.end <= at.range.begin || range.begin >= at.range.end) continue;
        marks.push_back({.x0 = std::max(0.0, at.x(range.begin)),
                         .x1 = std::min(at.width, at.x(range.end)),
                         .flag = i,
                         .begins = range.begin >= at.range.begin});
    }
    std::stable_sort(marks.begin(), marks.end(), [](const FlagMark& a, const FlagMark& b) { return a.x0 < b.x0; });
    for (std::size_t i = 0; i < marks.size(); ++i)
        marks[i].room = (i + 1 < marks.size() ? marks[i + 1].x0 : at.width) - marks[i].x0;
    return marks;
}

std::optional<std::size_t> flagAt(std::span<const FlagMark> marks, double x)
{
    constexpr double widest = 160;  // a note's text is a place to click, the empty axis behind it is not
    for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark)
        if (x >= mark->x0 - 2 && x <= std::max(mark->x1, mark->x0 + std::min(mark->room, widest))) return mark->flag;
    return {};
}

void paintFlags(QPainter& painter, std::span<const TimeFlag> flags, std::span<const FlagMark> marks, double top,
                double height, const Theme& theme)
{
    painter.setFont(timelineFont(10.5 * height / 16));
    const QFontMetricsF metrics(painter.font());
    for (const FlagMark& mark : marks) {
        painter.fillRect(QRectF(mark.x0, top + height - 2, std::max(1.0, mark.x1 - mark.x0), 1), theme.mutedText);
        if (mark.begins) painter.fillRect(QRectF(std::round(mark.x0), top, 1, height), theme.mutedText);
        constexpr qsizetype mostLetters = 400;  // more take long to measure, and no axis has room for them
        if (mark.room <= 2 * padding) continue;
        const QString note = textOf(flags[mark.flag]).left(mostLetters);
        const QString text = metrics.elidedText(note, Qt::ElideRight, mark.room - 2 * padding);
        if (text.size() < 2 && text != note) continue;  // nothing but an ellipsis
        painter.setPen(theme.mutedText);
        painter.drawText(QRectF(mark.x0 + padding, top, mark.room - padding, height - 2),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

}  // namespace longpole
