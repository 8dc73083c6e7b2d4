// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/timeline/legend.h"

#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/timeline/hatching.h"

#include <QFontMetricsF>

#include <algorithm>
#include <utility>

namespace longpole {

std::vector<LegendItem> legendItems(const TimelineGeometry& geometry, const TraceStore& store, std::size_t most)
{
    std::vector<double> covered;  // by entry id
    double all = 0;
    for (const RowGeometry& row : geometry.rows) {
        if (row.loaded && row.hasLog && row.kind != RowKind::Intervals && !row.blocks.empty())
            all += geometry.at.width * geometry.columnsPerPixel;
        for (const Block& block : row.blocks) {
            if (block.busy == 0 || block.entry == noEntry) continue;
            if (index(block.entry) >= covered.size()) covered.resize(index(block.entry) + 1);
            covered[index(block.entry)] += (block.last - block.first) * block.busy / 16.0;
        }
    }
    std::vector<LegendItem> items;
    for (std::uint32_t id = 0; id < covered.size(); ++id) {
        const Entry* entry = covered[id] > 0 ? store.entry(EntryId{id}) : nullptr;
        if (entry) items.push_back({EntryId{id}, entryName(*entry), covered[id], covered[id] / std::max(1.0, all)});
    }
    std::ranges::sort(items, {}, [](const LegendItem& item) { return std::pair(-item.columns, item.entry); });
    if (items.size() > most) items.resize(most);
    return items;
}

namespace {

struct Piece {
    QString name;
    QColor colour;
    CallPart part = CallPart::None;
    bool bar = false;
};

std::vector<Piece> piecesOf(const std::vector<LegendItem>& items, const Palette& palette, const Theme& theme,
                            const LegendRest& rest)
{
    std::vector<Piece> pieces;
    for (const LegendItem& item : items) pieces.push_back({item.name, QColor::fromRgb(palette.entry(item.entry))});
    const auto addPart = [&](const QString& name, CallPart part) {
        pieces.push_back({name, QColor::fromRgb(partColour(part, theme, true)), part});
    };
    if (rest.ofRanks) {
        addPart(tr("MPI: wait before"), CallPart::WaitBefore);
        addPart(tr("execution"), CallPart::Execution);
        addPart(tr("wait after"), CallPart::WaitAfter);
        pieces.push_back({tr("not recorded"), theme.overhead});
    } else {
        pieces.push_back({tr("idle"), theme.idle});
        pieces.push_back({tr("overhead"), theme.overhead});
    }
    if (rest.withPath) pieces.push_back({tr("critical path"), theme.accent, CallPart::None, true});
    return pieces;
}

}  // namespace

double paintLegend(QPainter* painter, const std::vector<LegendItem>& items, double width, const Palette& palette,
                   const Theme& theme, const LegendRest& rest)
{
    constexpr double line = 20;
    const double swatch = rest.ofRanks ? 12 : 9;
    const std::vector<Piece> pieces = piecesOf(items, palette, theme, rest);
    const Hatching hatching(theme, painter ? painter->device()->devicePixelRatioF() : 1, false);
    const QFont font = timelineFont(11.5);
    const QFontMetricsF metrics(font);
    if (painter) painter->setFont(font);
    double x = 0;
    double y = 0;
    for (const Piece& piece : pieces) {
        const QString name = metrics.elidedText(piece.name, Qt::ElideMiddle, std::max(60.0, width - 40));
        const double need = swatch + 6 + metrics.horizontalAdvance(name) + 18;
        if (x > 0 && x + need > width) {
            x = 0;
            y += line;
        }
        if (painter) {
            const QRectF box = piece.bar ? QRectF(x, y + line / 2 - 2, swatch + 3, 4)
                                         : QRectF(x, y + (line - swatch) / 2, swatch, swatch);
            painter->fillRect(box, piece.colour);
            hatching.fill(*painter, box, piece.part);
            if (piece.colour == theme.idle) {
                painter->setPen(theme.line);
                painter->setBrush(Qt::NoBrush);
                painter->drawRect(box);
            }
            painter->setPen(theme.mutedText);
            painter->drawText(QRectF(x + swatch + 6, y, need, line), Qt::AlignLeft | Qt::AlignVCenter, name);
        }
        x += need;
    }
    return y + line;
}

}  // namespace longpole
