// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/pictures/renderusage.h"

#include "analysis/base/naming.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

constexpr std::size_t mostEntries = 10;

struct UsageColours {
    std::vector<EntryId> entries;       // those with most time
    std::vector<ChartSwatch> swatches;  // of these entries, then of others, overhead, idle and what is missing
};

UsageColours coloursOf(const TraceStore& store, const UsageProfile& profile, const ChartPicture& picture)
{
    const Palette palette(store, picture.theme, picture.palette);
    UsageColours colours;
    for (const EntryUsage& usage : profile.total.entries) {
        if (colours.entries.size() == mostEntries) break;
        const Entry* const entry = store.entry(usage.entry);
        colours.entries.push_back(usage.entry);
        colours.swatches.push_back({entry ? entryName(*entry) : tr("unknown"), QColor(palette.entry(usage.entry))});
    }
    colours.swatches.push_back({store.words().say(tr("other entry methods"), tr("other regions")),
                                picture.theme.faintText});
    colours.swatches.push_back({store.words().say(tr("overhead"), tr("in MPI")), picture.theme.overhead});
    colours.swatches.push_back({store.words().say(tr("idle"), tr("waiting in MPI")), picture.theme.idle});
    if (missingTime(store, profile.processors) > 0)
        colours.swatches.push_back({tr("not in the trace"), picture.theme.line});
    return colours;
}

// For each swatch its share of the processors' time.
std::vector<double> sharesOf(const TraceStore& store, std::span<const ProcessorUsage> processors,
                             const UsageColours& colours, TimeNs length)
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
    const double missing = static_cast<double>(missingTime(store, processors)) / whole;
    if (missing > 0) {
        shares[others + 1] -= missing;
        shares[others + 3] = missing;
    }
    return shares;
}

QString summary(const TraceStore& store, const UsageProfile& profile)
{
    const double whole = static_cast<double>(std::max<TimeNs>(profile.total.usage.sum(), 1));
    const auto share = [whole](TimeNs time) { return formatShare(static_cast<double>(time) / whole); };
    const TimeNs missing = missingTime(store, profile.processors);
    const QString text = store.words()
                             .say(tr("%1 for %2 · busy %3 · overhead %4 · idle %5"),
                                  tr("%1 for %2 · busy %3 · in MPI %4 · waiting in MPI %5"))
                             .arg(countedProcessors(store.words(),
                                                    static_cast<std::int64_t>(profile.processors.size())),
                                  formatTime(profile.range.length()), share(profile.total.usage.user),
                                  share(profile.total.usage.overhead - missing), share(profile.total.usage.idle));
    return missing > 0 ? text + tr(" · not in the trace %1").arg(share(missing)) : text;
}

}  // namespace

Result<QByteArray> renderUsage(const TraceStore& store, const UsageProfile& profile, const ChartPicture& picture)
{
    const Theme& theme = picture.theme;
    const QSize size = picture.size.expandedTo({200, 140});
    const UsageColours colours = coloursOf(store, profile, picture);
    const double legend = paintSwatches(nullptr, colours.swatches, size.width() - 2 * chartMargin, theme);
    const ValueAxis axis = valueAxis(0, 1, false, ValueUnit::Share);
    const double top = chartMargin + chartTitleHeight;
    const double left = chartMargin + leftAxisWidth(axis, 200);
    const double bottom = std::max(top + 20, size.height() - chartMargin - legend - chartAxisHeight);
    const QRectF plot(left, top, std::max(20.0, size.width() - left - chartMargin), bottom - top);
    const std::size_t count = profile.processors.size();
    const std::size_t group = std::max<std::size_t>(1, (count + static_cast<std::size_t>(plot.width()) - 1)
                                                           / static_cast<std::size_t>(plot.width()));
    return chartBytes(picture, size, store.words().say(tr("Usage per PE"), tr("Usage per rank")),
                      summary(store, profile), [&](QPainter& painter) {
                          paintLeftAxis(painter, plot, axis, theme);
                          const double each = plot.width() / std::max(1.0, std::ceil(double(count) / double(group)));
                          const double gap = each > 6 ? std::min(8.0, each * 0.25) : 0;
                          std::vector<ValueTick> ticks;
                          for (std::size_t i = 0; i < count; i += group) {
                              const std::span<const ProcessorUsage> bar(profile.processors.data() + i,
                                                                        std::min(group, count - i));
                              const std::size_t number = i / group;
                              const double x = plot.left() + static_cast<double>(number) * each;
                              double y = plot.bottom();
                              const std::vector<double> shares = sharesOf(store, bar, colours, profile.range.length());
                              for (std::size_t part = 0; part < shares.size(); ++part) {
                                  const double height = shares[part] * plot.height();
                                  if (height <= 0) continue;
                                  painter.fillRect(QRectF(x + gap / 2, y - height, std::max(each - gap, 0.5), height),
                                                   colours.swatches[part].colour);
                                  y -= height;
                              }
                              ticks.push_back({0, (static_cast<double>(number) + 0.5) * each / plot.width(),
                                               QString::number(index(bar.front().pe))});
                          }
                          paintTicksBelow(painter, plot, ticks, theme);
                          painter.translate(chartMargin, size.height() - chartMargin - legend + 4);
                          paintSwatches(&painter, colours.swatches, size.width() - 2 * chartMargin, theme);
                      });
}

}  // namespace longpole
