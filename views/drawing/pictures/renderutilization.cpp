// SPDX-License-Identifier: GPL-3.0-or-later
// The two plots of the report: user, overhead and idle time stacked, over time and by processor.
#include "core/base/translate.h"
#include "views/drawing/basics/chartframe.h"
#include "views/drawing/pictures/render.h"

#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/timeaxis.h"
#include "views/drawing/timeline/tilesource.h"
#include "views/drawing/timeline/timelinepainter.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <vector>

namespace longpole {

namespace {

struct Stack {
    double user = 0;  // shares of the bar, 0..1
    double overhead = 0;
    double idle = 0;
    double missing = 0;  // of processors that have no log
};

constexpr double left = 56;
constexpr double right = 16;
constexpr double below = 26;

class StackChart {
public:
    StackChart(Vocabulary vocabulary, const TimelinePicture& picture)
        : m_words(vocabulary), m_picture(picture), m_theme(picture.theme),
          m_size(std::max(200, picture.size.width()), picture.size.height() > 0 ? picture.size.height() : 240),
          m_scale(std::max(0.1, picture.scale)), m_image((QSizeF(m_size) * m_scale).toSize(), QImage::Format_RGB32)
    {
        m_top = picture.title.isEmpty() ? 12 : 36;
        m_foot = m_size.height() - below - (picture.legend ? 24 : 0);
        if (m_image.isNull()) return;
        m_image.setDevicePixelRatio(m_scale);
        m_painter.begin(&m_image);
        m_painter.fillRect(QRectF(QPointF(0, 0), m_size), m_theme.window);
    }

    bool isOk() const { return !m_image.isNull(); }
    double width() const { return m_size.width() - left - right; }
    QPainter& painter() { return m_painter; }
    double foot() const { return m_foot; }

    void paintBar(double x, double barWidth, const Stack& stack)
    {
        const double height = m_foot - m_top;
        const double user = height * std::clamp(stack.user, 0.0, 1.0);
        const double overhead = height * std::clamp(stack.overhead, 0.0, 1.0);
        const double idle = height * std::clamp(stack.idle, 0.0, 1.0);
        m_painter.fillRect(QRectF(left + x, m_foot - user, barWidth, user), m_theme.utilization);
        m_painter.fillRect(QRectF(left + x, m_foot - user - overhead, barWidth, overhead), m_theme.overhead);
        m_painter.fillRect(QRectF(left + x, m_foot - user - overhead - idle, barWidth, idle), m_theme.idle);
        if (stack.missing <= 0) return;
        m_hasMissing = true;
        const double missing = height * std::clamp(stack.missing, 0.0, 1.0);
        m_painter.fillRect(QRectF(left + x, m_top, barWidth, missing), m_theme.line);
    }

    QImage finish()
    {
        paintScale();
        if (!m_picture.title.isEmpty()) {
            m_painter.setFont(timelineFont(13, QFont::DemiBold));
            m_painter.setPen(m_theme.text);
            m_painter.drawText(QRectF(12, 6, m_size.width() - 24, 26), Qt::AlignLeft | Qt::AlignVCenter,
                               m_picture.title);
        }
        if (m_picture.legend) paintLegend();
        m_painter.end();
        return m_image;
    }

private:
    void paintScale()
    {
        m_painter.setFont(timelineFont(11));
        for (const int percent : {0, 50, 100}) {
            const double y = std::round(m_foot - (m_foot - m_top) * percent / 100.0);
            QColor line = m_theme.line;
            if (percent > 0) line.setAlpha(140);
            m_painter.fillRect(QRectF(left, y, width(), 1), line);
            m_painter.setPen(m_theme.mutedText);
            m_painter.drawText(QRectF(0, y - 8, left - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                               QStringLiteral("%1 %").arg(percent));
        }
    }

    void paintLegend()
    {
        std::vector<ChartSwatch> swatches{{tr("busy"), m_theme.utilization},
                                          {m_words.say(tr("overhead"), tr("in MPI")), m_theme.overhead},
                                          {m_words.say(tr("idle"), tr("waiting in MPI")), m_theme.idle}};
        if (m_hasMissing) swatches.push_back({tr("not in the trace"), m_theme.line});
        m_painter.save();
        m_painter.translate(left, m_size.height() - 22);
        paintSwatches(&m_painter, swatches, width(), m_theme);
        m_painter.restore();
    }

    Vocabulary m_words;
    const TimelinePicture& m_picture;
    const Theme& m_theme;
    QSize m_size;
    double m_scale;
    double m_top = 0, m_foot = 0;
    bool m_hasMissing = false;
    QImage m_image;
    QPainter m_painter;
};

bool isShown(const Processor& processor, const TimelinePicture& picture)
{
    const auto& pes = picture.pes;
    return processor.kind != TrackKind::CommThread
           && (pes.empty() || std::find(pes.begin(), pes.end(), processor.pe) != pes.end());
}

// Divides the rest of a bar, at most `missing` of which nobody knows what it was.
void fillUp(Stack& stack, double missing)
{
    const double rest = std::max(0.0, 1.0 - stack.user - stack.idle);
    stack.missing = std::min(rest, missing);
    stack.overhead = rest - stack.missing;
}

Error tooLarge(const TimelinePicture& picture)
{
    return {tr("The picture is too large for memory."),
            QStringLiteral("%1 x %2").arg(picture.size.width()).arg(picture.size.height()),
            tr("Ask for a smaller one.")};
}

Result<TileLevel> shownTiles(const TraceStore& store, const TimelinePicture& picture, TimeRange range, double pixels)
{
    if (picture.pes.empty() && range == store.info().range()) return overviewTiles(store, pixels);
    std::vector<TrackId> tracks;
    for (const Processor& processor : store.processors())
        if (isShown(processor, picture)) tracks.push_back(processor.track);
    return summedTiles(store, tracks, range, static_cast<double>(range.length()) / pixels);
}

}  // namespace

Result<QImage> renderUtilizationOverTime(const TraceStore& store, const TimelinePicture& picture)
{
    const TimeRange run = store.info().range();
    const TimeRange range = picture.range.isEmpty() ? run : intersection(picture.range, run);
    StackChart chart(store.words(), picture);
    if (!chart.isOk()) return tooLarge(picture);
    const Result<TileLevel> tiles = shownTiles(store, picture, range, chart.width());
    if (!tiles) return tiles.error();
    const auto processors = picture.pes.empty() ? static_cast<double>(store.info().processors)
                                                : static_cast<double>(picture.pes.size());
    const auto missing = static_cast<double>(std::ranges::count_if(store.processors(),
                                                                   [&](const Processor& p) {
                                                                       return isShown(p, picture) && !p.hasLog;
                                                                   }))
                         / processors;

    const TimeCoordinates at{range, chart.width()};
    const auto columns = static_cast<std::size_t>(std::clamp(chart.width() / 3, 1.0, 400.0));
    std::vector<Stack> stacks(columns);
    const double columnWidth = chart.width() / static_cast<double>(columns);
    const double columnTime = static_cast<double>(range.length()) / static_cast<double>(columns);
    for (std::size_t i = 0; i < tiles->bins.size(); ++i) {
        const std::int64_t number = tiles->firstBin + static_cast<std::int64_t>(i);
        const TimeRange bin = intersection({number << tiles->level, (number + 1) << tiles->level}, range);
        if (bin.isEmpty()) continue;
        const double from = static_cast<double>(bin.begin - range.begin) / columnTime;
        const double to = static_cast<double>(bin.end - range.begin) / columnTime;
        for (auto c = static_cast<std::size_t>(from); c < columns && static_cast<double>(c) < to; ++c) {
            const double part = std::min(to, static_cast<double>(c) + 1) - std::max(from, static_cast<double>(c));
            const double share = part / (to - from);
            stacks[c].user += share * static_cast<double>(tiles->bins[i].busy);
            stacks[c].idle += share * static_cast<double>(tiles->bins[i].idle);
        }
    }
    for (std::size_t c = 0; c < columns; ++c) {
        Stack& stack = stacks[c];
        stack.user = std::min(1.0, stack.user / (columnTime * processors));
        stack.idle = std::min(1.0 - stack.user, stack.idle / (columnTime * processors));
        fillUp(stack, missing);
        chart.paintBar(static_cast<double>(c) * columnWidth, columnWidth + 0.5, stack);
    }
    QPainter& painter = chart.painter();
    painter.save();
    painter.translate(left, chart.foot() + 2);
    paintAxis(painter, axisTicks(range, run.begin, at.width), at.width, below - 4, picture.theme);
    painter.restore();
    return chart.finish();
}

Result<QImage> renderUtilizationPerProcessor(const TraceStore& store, const TimelinePicture& picture)
{
    StackChart chart(store.words(), picture);
    if (!chart.isOk()) return tooLarge(picture);
    std::vector<const Processor*> shown;
    for (const Processor& processor : store.processors())
        if (isShown(processor, picture)) shown.push_back(&processor);
    const auto duration = static_cast<double>(std::max<TimeNs>(1, store.info().duration()));
    const double each = chart.width() / std::max<double>(1, static_cast<double>(shown.size()));
    const double gap = each > 6 ? std::min(8.0, each * 0.25) : 0;
    QPainter& painter = chart.painter();
    painter.setFont(timelineFont(11));
    const double labelWidth = QFontMetricsF(painter.font()).horizontalAdvance(QStringLiteral("00000")) + 6;
    const auto every = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(labelWidth / each)));
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const Processor& processor = *shown[i];
        Stack stack{.user = static_cast<double>(processor.busy) / duration,
                    .overhead = 0,
                    .idle = static_cast<double>(processor.idle) / duration};
        fillUp(stack, processor.hasLog ? 0 : 1);
        const double x = static_cast<double>(i) * each;
        chart.paintBar(x + gap / 2, std::max(each - gap, 0.5), stack);
        if (i % every != 0) continue;
        painter.setPen(picture.theme.mutedText);
        painter.drawText(QRectF(left + x + each / 2 - 30, chart.foot() + 4, 60, 16), Qt::AlignCenter,
                         QString::number(index(processor.pe)));
    }
    return chart.finish();
}

}  // namespace longpole
