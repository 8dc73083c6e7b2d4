// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/flowlayout.h"

#include <algorithm>

namespace longpole {

namespace {

int heightOf(const std::vector<QLayoutItem*>& line)
{
    int height = 0;
    for (const QLayoutItem* item : line) height = std::max(height, item->sizeHint().height());
    return height;
}

bool isGrowing(const QLayoutItem& item) { return item.expandingDirections().testFlag(Qt::Horizontal); }

QSize withMargins(QSize size, const QMargins& margins)
{
    return {size.width() + margins.left() + margins.right(), size.height() + margins.top() + margins.bottom()};
}

}  // namespace

FlowLayout::FlowLayout(int spacing, int lineSpacing) : m_lineSpacing(lineSpacing)
{
    setSpacing(spacing);
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() = default;

void FlowLayout::addItem(QLayoutItem* item)
{
    m_items.emplace_back(item);
    invalidate();
}

QLayoutItem* FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)].get() : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    if (index < 0 || index >= count()) return nullptr;
    QLayoutItem* item = m_items[static_cast<std::size_t>(index)].release();
    m_items.erase(m_items.begin() + index);
    invalidate();
    return item;
}

int FlowLayout::widthOf(const Line& line) const
{
    int width = spacing() * std::max(0, static_cast<int>(line.size()) - 1);
    for (const QLayoutItem* item : line) width += item->sizeHint().width();
    return width;
}

std::vector<FlowLayout::Line> FlowLayout::linesOf(int width) const
{
    std::vector<Line> lines;
    for (const auto& item : m_items) {
        if (item->isEmpty()) continue;  // hidden
        const bool hasRoom = !lines.empty() && widthOf(lines.back()) + spacing() + item->sizeHint().width() <= width;
        if (!hasRoom) lines.emplace_back();
        lines.back().push_back(item.get());
    }
    return lines;
}

int FlowLayout::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    const std::vector<Line> lines = linesOf(width - margins.left() - margins.right());
    int height = m_lineSpacing * std::max(0, static_cast<int>(lines.size()) - 1);
    for (const Line& line : lines) height += heightOf(line);
    return withMargins({0, height}, margins).height();
}

QSize FlowLayout::sizeHint() const
{
    Line all;
    for (const auto& item : m_items)
        if (!item->isEmpty()) all.push_back(item.get());
    return withMargins({widthOf(all), heightOf(all)}, contentsMargins());
}

QSize FlowLayout::minimumSize() const
{
    QSize least;
    for (const auto& item : m_items)
        if (!item->isEmpty()) least = least.expandedTo(item->minimumSize());
    return withMargins(least, contentsMargins());
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    const QRect room = rect.marginsRemoved(contentsMargins());
    int top = room.top();
    for (const Line& line : linesOf(room.width())) {
        place(line, {room.left(), top}, room.width());
        top += heightOf(line) + m_lineSpacing;
    }
}

void FlowLayout::place(const Line& line, QPoint at, int width) const
{
    const auto growing = static_cast<int>(std::count_if(line.begin(), line.end(),
                                                        [](const QLayoutItem* item) { return isGrowing(*item); }));
    const int more = growing > 0 ? std::max(0, width - widthOf(line)) / growing : 0;
    const int height = heightOf(line);
    for (QLayoutItem* item : line) {
        QSize size = item->sizeHint();
        if (isGrowing(*item)) size.rwidth() = std::min(size.width() + more, item->maximumSize().width());
        size.rwidth() = std::min(size.width(), width);  // one that is wider than the line stands alone in it
        item->setGeometry({{at.x(), at.y() + (height - size.height()) / 2}, size});
        at.rx() += size.width() + spacing();
    }
}

}  // namespace longpole
