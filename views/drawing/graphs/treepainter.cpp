// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/drawing/graphs/treepainter.h"

#include "core/base/translate.h"
#include "views/drawing/basics/colourscale.h"
#include "views/drawing/basics/curve.h"
#include "views/drawing/basics/font.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/graphs/experttext.h"
#include "views/drawing/graphs/graphpainter.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <QTextLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr double corner = 7;

QColor blend(const QColor& a, const QColor& b, double share) { return QColor(mixed(a.rgb(), b.rgb(), share)); }

QString signOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fired: return QStringLiteral("!");
    case Verdict::NotFired: return QStringLiteral("✓");
    case Verdict::NotFollowed: return QStringLiteral("–");
    case Verdict::NotJudged: break;
    }
    return QStringLiteral("?");
}

// A disc with a letter, or without one with a sign of the verdict.
void paintVerdict(QPainter& painter, const QRectF& disc, Verdict verdict, const QString& letter, const Theme& theme)
{
    const bool fired = verdict == Verdict::Fired;
    QPen pen(fired ? theme.accent : theme.faintText, 1.2);
    if (verdict == Verdict::NotJudged) pen.setDashPattern({2.5, 2});
    painter.setPen(pen);
    painter.setBrush(fired ? QBrush(theme.accent) : QBrush(Qt::NoBrush));
    painter.drawEllipse(disc.adjusted(0.6, 0.6, -0.6, -0.6));
    const QString sign = letter.isEmpty() ? signOf(verdict) : letter;
    painter.setFont(timelineFont(sign.size() > 1 ? 10.5 : 12, QFont::DemiBold));
    painter.setPen(fired ? QColor(inkOn(theme.accent.rgb())) : theme.mutedText);
    painter.drawText(disc, Qt::AlignCenter, sign);
}

// On at most two lines, of which the second is elided.
void paintQuestion(QPainter& painter, const QRectF& box, const QString& text, const QFont& font, const QColor& ink)
{
    constexpr double lineHeight = 15.5;
    QTextLayout layout(text, font);
    layout.beginLayout();
    int ends = 0;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(box.width());
        ends = line.textStart() + line.textLength();
        if (layout.lineCount() == 2) break;
    }
    layout.endLayout();
    painter.setFont(font);
    painter.setPen(ink);
    const int lines = std::min(layout.lineCount(), 2);
    const double top = lines == 1 ? box.top() + 4 : box.top();
    for (int i = 0; i < lines; ++i) {
        const QTextLine line = layout.lineAt(i);
        QString part = text.mid(line.textStart(), line.textLength()).trimmed();
        if (i == 1 && ends < text.size())
            part = QFontMetricsF(font).elidedText(text.mid(line.textStart()), Qt::ElideRight, box.width());
        painter.drawText(QRectF(box.left(), top + i * lineHeight, box.width() + 2, lineHeight),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, part);
    }
}

class TreePainter {
public:
    TreePainter(QPainter& painter, const TreeGeometry& geometry, const DecisionTree& tree, const TreeStyle& style)
        : m_painter(painter), m_geometry(geometry), m_tree(tree), m_style(style), m_theme(*style.theme)
    {
    }

    void paint(const QRectF& visible)
    {
        m_painter.setRenderHint(QPainter::Antialiasing);
        for (const int weight : {0, 1, 2})
            for (const TreeLine& line : m_geometry.lines)
                if (weightOf(line) == weight) paintLine(line, weight);
        for (std::size_t i = 0; i < m_geometry.boxes.size(); ++i)
            if (visible.isEmpty() || m_geometry.boxes[i].rect.adjusted(-6, -6, 6, 6).intersects(visible)) paintBox(i);
    }

private:
    const TreeNode& node(int i) const { return m_tree.nodes[static_cast<std::size_t>(i)]; }

    int weightOf(const TreeLine& line) const
    {
        if (line.isOnPath) return 2;
        return node(line.child).verdict == Verdict::Fired ? 1 : 0;
    }

    void paintLine(const TreeLine& line, int weight)
    {
        QPen pen(weight == 0 ? m_theme.line : m_theme.accent, weight == 2 ? 2.4 : (weight == 1 ? 1.4 : 1.2));
        if (node(line.child).verdict == Verdict::NotJudged) pen.setDashPattern({3, 3});
        m_painter.setPen(pen);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawPath(roundedLine(line.points, corner));
    }

    void paintBox(std::size_t i)
    {
        const TreeBox& box = m_geometry.boxes[i];
        const TreeNode& node = m_tree.nodes[i];
        const bool fired = node.verdict == Verdict::Fired;
        const bool isSelected = static_cast<int>(i) == m_style.selected;
        QColor ground = fired ? blend(m_theme.panel, m_theme.accent, m_theme.dark ? 0.09 : 0.06) : m_theme.panel;
        if (static_cast<int>(i) == m_style.hovered || isSelected) ground = blend(ground, m_theme.text, 0.05);
        QPen pen(fired ? m_theme.accent : m_theme.line, box.isOnPath && fired ? 2.0 : 1.0);
        if (node.verdict == Verdict::NotJudged) {
            pen = QPen(m_theme.faintText, 1);
            pen.setDashPattern({4, 3});
        }
        m_painter.setPen(pen);
        m_painter.setBrush(ground);
        m_painter.drawRoundedRect(box.rect, corner, corner);
        if (isSelected) {
            m_painter.setPen(QPen(m_style.hasFocus ? m_theme.selection : m_theme.mutedText, 1.6));
            m_painter.setBrush(Qt::NoBrush);
            m_painter.drawRoundedRect(box.rect.adjusted(-3, -3, 3, 3), corner + 3, corner + 3);
        }
        paintLoss(box, fired);
        paintVerdict(m_painter, box.mark, node.verdict, node.letter, m_theme);
        paintQuestion(m_painter, box.question, node.question, timelineFont(12, fired ? QFont::DemiBold : QFont::Normal),
                      fired ? m_theme.text : m_theme.mutedText);
        paintFigures(box, node);
    }

    void paintLoss(const TreeBox& box, bool fired)
    {
        if (box.loss.width() <= 0) return;
        m_painter.save();
        QPainterPath inside;
        inside.addRoundedRect(box.rect.adjusted(1, 1, -1, -1), corner - 1, corner - 1);
        m_painter.setClipPath(inside, Qt::IntersectClip);
        m_painter.fillRect(box.loss, fired ? m_theme.accent : m_theme.faintText);
        m_painter.restore();
    }

    void paintFigures(const TreeBox& box, const TreeNode& node)
    {
        QRectF place = box.figures;
        const bool fired = node.verdict == Verdict::Fired;
        if (node.share >= 0.0005 && (fired || !box.meter.isEmpty())) {
            const QString share = shareText(node.share, Digits::Few);
            m_painter.setFont(timelineFont(11, fired ? QFont::DemiBold : QFont::Normal));
            m_painter.setPen(fired ? m_theme.accent : m_theme.mutedText);
            m_painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, share);
            place.setRight(place.right() - QFontMetricsF(m_painter.font()).horizontalAdvance(share) - 8);
        }
        QString text = title(node.verdict);
        if (!box.meter.isEmpty()) {
            const NodeTest& test = node.tests.front();
            paintMeter(m_painter, box.meter, box.value, box.threshold, test.fired && fired, m_theme);
            text = comparisonText(test, Digits::Few);
        } else if (node.verdict == Verdict::NotJudged && !node.needs.isEmpty()) {
            text = tr("needs %1").arg(node.needs.join(QStringLiteral(", ")));
        }
        m_painter.setFont(timelineFont(11));
        m_painter.setPen(m_theme.mutedText);
        drawElided(m_painter, place, text);
    }

    QPainter& m_painter;
    const TreeGeometry& m_geometry;
    const DecisionTree& m_tree;
    const TreeStyle& m_style;
    const Theme& m_theme;
};

}  // namespace

void paintMeter(QPainter& painter, const QRectF& bar, double value, double threshold, bool fired, const Theme& theme)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2);
    const double filled = std::clamp(value, 0.0, 1.0) * bar.width();
    painter.setBrush(fired ? theme.accent : theme.utilization);
    if (filled > 0)
        painter.drawRoundedRect(QRectF(bar.left(), bar.top(), std::max(filled, bar.height()), bar.height()),
                                bar.height() / 2, bar.height() / 2);
    const double x = bar.left() + std::clamp(threshold, 0.0, 1.0) * bar.width();
    painter.fillRect(QRectF(x - 0.75, bar.top() - 3, 1.5, bar.height() + 6), theme.text);
}

void paintTree(QPainter& painter, const TreeGeometry& geometry, const DecisionTree& tree, const TreeStyle& style,
               QRectF visible)
{
    painter.save();
    TreePainter(painter, geometry, tree, style).paint(visible);
    painter.restore();
}

}  // namespace longpole
