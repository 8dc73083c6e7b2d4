// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/hithistogram.h"

#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace longpole {

HitHistogram::HitHistogram(QWidget* parent) : QWidget(parent)
{
    setFixedSize(2 * static_cast<int>(bins), 20);
    speakAs(*this, QAccessible::Chart);
    setAccessibleName(tr("Hits over the run"));
    setToolTip(tr("Hits over the run, from its start to its end"));
    hide();
}

void HitHistogram::setCounts(const std::vector<std::int64_t>& counts)
{
    m_counts = counts;
    setVisible(hasHits());
    update();
}

bool HitHistogram::hasHits() const
{
    return std::any_of(m_counts.begin(), m_counts.end(), [](std::int64_t count) { return count > 0; });
}

void HitHistogram::setPlace(std::optional<double> share)
{
    m_place = share;
    update();
}

void HitHistogram::paintEvent(QPaintEvent*)
{
    if (m_counts.empty()) return;
    const Theme& theme = themeOf(*this);
    QPainter painter(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
    const std::int64_t most = std::max<std::int64_t>(1, *std::max_element(m_counts.begin(), m_counts.end()));
    const double each = static_cast<double>(width()) / static_cast<double>(m_counts.size());
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
        if (m_counts[i] == 0) continue;
        // By the square root, and at least two pixels: single hits show beside many.
        const double share = std::sqrt(static_cast<double>(m_counts[i]) / static_cast<double>(most));
        const double high = std::max(2.0, share * (height() - 2));
        painter.fillRect(QRectF(static_cast<double>(i) * each, height() - high, each, high), theme.utilization);
    }
    if (m_place) painter.fillRect(QRectF(*m_place * (width() - 2), 0, 2, height()), theme.text);
}

}  // namespace longpole
