// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/pictures/renderusage.h"

#include "core/trace/format.h"
#include "views/drawing/basics/picture.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr std::size_t mostEntries = 10;

QString words(const char* text) { return QCoreApplication::translate("Usage", text); }

// Swatches of the entry methods with most time, the other ones, overhead and idle.
struct UsageColours {
    std::vector<EntryId> entries;       // those with most time
    std::vector<ChartSwatch> swatches;  // of these entries, then of others, overhead and idle
};

UsageColours coloursOf(const TraceStore& store, const UsageProfile& profile, const ChartPicture& picture)
{
    const Palette palette(store, picture.theme, picture.palette);
    UsageColours colours;
    for (const EntryUsage& usage : profile.total.entries) {
        if (colours.entries.size() == mostEntries) break;
        const Entry* const entry = store.entry(usage.entry);
        colours.entries.push_back(usage.entry);
        colours.swatches.push_back({entry ? entryName(*entry) : words("unknown"), QColor(palette.entry(usage.entry))});
    }
    colours.swatches.push_back({store.words().say(words("other entry methods"), words("other regions")),
                                picture.theme.faintText});
    colours.swatches.push_back({store.words().say(words("overhead"), words("in MPI")), picture.theme.overhead});
    colours.swatches.push_back({store.words().say(words("idle"), words("waiting in MPI")), picture.theme.idle});
    return colours;
}

// For each swatch its share of the processors' time.
std::vector<double> sharesOf(std::span<const ProcessorUsage> processors, const UsageColours& colours, TimeNs length)
{
    std::vector<double> shares(colours.swatches.size(), 0);
    const std::size_t others = colours.entries.size();
    const double whole = static_cast<double>(std::max<TimeNs>(length, 1)) * static_cast<double>(processors.size());
    for (const ProcessorUsage& processor : processors) {
        for (const EntryUsage& entry : processor.entries) {
            const auto known = std::ranges::find(colours.entries, entry.entry);
            const auto part = static_cast<std::size_t>(known - colours.entries.begin());
            shares[part] += static_cast<double>(entry.time) / whole;
        }
        shares[others + 1] += static_cast<double>(processor.usage.overhead) / whole;
        shares[others + 2] += static_cast<double>(processor.usage.idle) / whole;
    }
    return shares;
}

QString summary(Vocabulary vocabulary, const UsageProfile& profile)
{
    const double whole = static_cast<double>(std::max<TimeNs>(profile.total.usage.sum(), 1));
    const auto share = [whole](TimeNs time) { return formatShare(static_cast<double>(time) / whole); };
    return vocabulary
        .say(words("%1 PEs for %2 · user %3 · overhead %4 · idle %5"),
             words("%1 ranks for %2 · user %3 · overhead %4 · idle %5"))
        .arg(formatCount(static_cast<std::int64_t>(profile.processors.size())), formatTime(profile.range.length()),
             share(profile.total.usage.user), share(profile.total.usage.overhead), share(profile.total.usage.idle));
}

}  // namespace

Result<QByteArray> renderUsage(const TraceStore& store, const UsageProfile& profile, const ChartPicture& picture)
{
    constexpr double margin = 16;
    const Theme& theme = picture.theme;
    const QSize size = picture.size.expandedTo({200, 140});
    const UsageColours colours = coloursOf(store, profile, picture);
    const double legend = paintSwatches(nullptr, colours.swatches, size.width() - 2 * margin, theme);
    const ValueAxis axis = valueAxis(0, 1, false, ValueUnit::Share);
    const double top = margin + 36;
    const double left = margin + leftAxisWidth(axis, 200);
    const double bottom = std::max(top + 20, size.height() - margin - legend - chartAxisHeight);
    const QRectF plot(left, top, std::max(20.0, size.width() - left - margin), bottom - top);
    const std::size_t count = profile.processors.size();
    const std::size_t group = std::max<std::size_t>(1, (count + static_cast<std::size_t>(plot.width()) - 1)
                                                           / static_cast<std::size_t>(plot.width()));
    const Sheet sheet{.size = size,
                      .title = words("Usage per processor"),
                      .scale = picture.scale,
                      .isVector = picture.isVector};
    return pictureBytes(sheet, [&](QPainter& painter) {
        painter.fillRect(QRectF(QPointF(0, 0), QSizeF(size)), theme.window);
        paintChartTitle(painter, QRectF(margin, margin - 6, size.width() - 2 * margin, 26), sheet.title,
                        summary(store.words(), profile), theme);
        paintLeftAxis(painter, plot, axis, theme);
        const double each = plot.width() / std::max(1.0, std::ceil(double(count) / double(group)));
        const double gap = each > 6 ? std::min(8.0, each * 0.25) : 0;
        std::vector<ValueTick> ticks;
        for (std::size_t i = 0; i < count; i += group) {
            const std::span<const ProcessorUsage> bar(profile.processors.data() + i, std::min(group, count - i));
            const double x = plot.left() + static_cast<double>(i / group) * each;
            double y = plot.bottom();
            const std::vector<double> shares = sharesOf(bar, colours, profile.range.length());
            for (std::size_t part = 0; part < shares.size(); ++part) {
                const double height = shares[part] * plot.height();
                if (height <= 0) continue;
                painter.fillRect(QRectF(x + gap / 2, y - height, std::max(each - gap, 0.5), height),
                                 colours.swatches[part].colour);
                y -= height;
            }
            ticks.push_back({0, (static_cast<double>(i / group) + 0.5) * each / plot.width(),
                             QString::number(index(bar.front().pe))});
        }
        paintTicksBelow(painter, plot, ticks, theme);
        painter.translate(margin, size.height() - margin - legend + 4);
        paintSwatches(&painter, colours.swatches, size.width() - 2 * margin, theme);
    });
}

}  // namespace longpole
