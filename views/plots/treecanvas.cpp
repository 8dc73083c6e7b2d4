// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/plots/treecanvas.h"

#include "core/trace/format.h"
#include "views/drawing/graphs/experttext.h"
#include "views/drawing/graphs/treepainter.h"
#include "views/widgets/plaintext.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tablemodel.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace longpole {

TreeCanvas::TreeCanvas(QWidget* parent) : ChartCanvas(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    speakAs(*this, QAccessible::Chart);
    setAccessibleName(tr("Decision tree"));
}

void TreeCanvas::setExpert(std::shared_ptr<const Expert> expert)
{
    const bool isSame = expert && m_expert == expert;
    m_expert = std::move(expert);
    arrange();
    if (isSame) return;
    m_hovered = -1;
    m_chosen = -1;
    if (!m_expert || m_geometry.boxes.empty()) return;
    const DecisionTree& tree = m_expert->tree;
    int last = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i)
        if (!tree.path.empty() && tree.nodes[i].id == tree.path.back()) last = static_cast<int>(i);
    choose(last);
}

void TreeCanvas::arrange()
{
    m_geometry = m_expert ? treeGeometry(m_expert->tree, width()) : TreeGeometry{};
    const double least = m_expert ? treeGeometry(m_expert->tree, 0).size.width() : 0;
    setMinimumSize(static_cast<int>(std::ceil(least)), static_cast<int>(std::ceil(m_geometry.size.height())));
    update();
}

void TreeCanvas::resizeEvent(QResizeEvent* event)
{
    if (event->size().width() != event->oldSize().width()) arrange();
}

void TreeCanvas::choose(int node)
{
    if (!m_expert || node < 0 || node >= static_cast<int>(m_geometry.boxes.size())) return;
    const TreeNode& chosen = m_expert->tree.nodes[static_cast<std::size_t>(node)];
    setAccessibleName(tr("Decision tree: %1 %2, %3, %4")
                          .arg(chosen.letter, chosen.question, title(chosen.verdict), formatShare(chosen.share)));
    if (node == m_chosen) return;
    m_chosen = node;
    QAccessibleEvent changed(this, QAccessible::NameChanged);
    QAccessible::updateAccessibility(&changed);
    update();
    Q_EMIT nodeChosen(node);
}

void TreeCanvas::paintChart(QPainter& painter)
{
    if (!m_expert) return;
    const bool isOnScreen = painter.device() == this;  // in a file nothing is hovered or selected
    paintTree(painter, m_geometry, m_expert->tree,
              {.theme = &theme(),
               .selected = isOnScreen ? m_chosen : -1,
               .hovered = isOnScreen ? m_hovered : -1,
               .hasFocus = hasFocus()},
              isOnScreen ? QRectF(visibleRegion().boundingRect()) : QRectF());
}

void TreeCanvas::hover(int node)
{
    if (node == m_hovered) return;
    m_hovered = node;
    setCursor(node >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void TreeCanvas::mouseMoveEvent(QMouseEvent* event) { hover(treeNodeAt(m_geometry, event->position())); }
void TreeCanvas::leaveEvent(QEvent*) { hover(-1); }

void TreeCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) choose(treeNodeAt(m_geometry, event->position()));
}

void TreeCanvas::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void TreeCanvas::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    update();
}

void TreeCanvas::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Up: return choose(treeStep(m_geometry, m_chosen, TreeStep::Up));
    case Qt::Key_Down: return choose(treeStep(m_geometry, m_chosen, TreeStep::Down));
    case Qt::Key_Left: return choose(treeStep(m_geometry, m_chosen, TreeStep::Parent));
    case Qt::Key_Right: return choose(treeStep(m_geometry, m_chosen, TreeStep::Child));
    case Qt::Key_Home: return choose(0);
    default: QWidget::keyPressEvent(event);
    }
}

bool TreeCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const QList<int> ours{Qt::Key_Up, Qt::Key_Down, Qt::Key_Left, Qt::Key_Right, Qt::Key_Home};
        if (ours.contains(key->key()) && key->modifiers() == Qt::NoModifier) event->accept();
    }
    if (event->type() == QEvent::ToolTip && m_expert) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int node = treeNodeAt(m_geometry, help->pos());
        const QString why = node >= 0 ? m_expert->tree.nodes[static_cast<std::size_t>(node)].why : QString();
        if (why.isEmpty()) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), inLines(why), this);
        return true;
    }
    return ChartCanvas::event(event);
}

QByteArray TreeCanvas::toCsv() const
{
    QByteArray csv("node,letter,parent,verdict,severity_pe_ns,share,metric,value,threshold,key,fired\n");
    if (!m_expert) return csv;
    for (const TreeNode& node : m_expert->tree.nodes) {
        const QStringList head{csvField(node.id),
                               csvField(node.letter),
                               csvField(node.parent),
                               csvField(title(node.verdict)),
                               QString::number(node.severity),
                               QString::number(node.share, 'g', 9)};
        const QByteArray start = head.join(QLatin1Char(',')).toUtf8();
        if (node.tests.empty()) csv += start % ",,,,,\n";
        for (const NodeTest& test : node.tests)
            csv += start % ','
                   % QStringList{csvField(test.metric), QString::number(test.value, 'g', 9),
                                 QString::number(test.threshold, 'g', 9), csvField(test.key),
                                 QString::number(test.fired ? 1 : 0)}
                         .join(QLatin1Char(','))
                         .toUtf8()
                   % '\n';
    }
    return csv;
}

}  // namespace longpole
