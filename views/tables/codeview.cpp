// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tables/codeview.h"

#include "views/widgets/tableview.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QPainter>
#include <QTextBlock>

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

constexpr int gutterSide = 8;
constexpr int markWidth = 3;

}  // namespace

CodeView::CodeView(QWidget* parent) : QPlainTextEdit(parent), m_gutter(new QWidget(this))
{
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setUndoRedoEnabled(false);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setTabStopDistance(4 * fontMetrics().horizontalAdvance(QLatin1Char(' ')));
    m_gutter->installEventFilter(this);
    connect(this, &QPlainTextEdit::updateRequest, m_gutter, [this](const QRect&, int) { m_gutter->update(); });
    layOut();
}

void CodeView::setCode(const QString& text, int first)
{
    m_first = std::max(1, first);
    m_from = m_to = 0;
    setPlainText(text);
    layOut();
    paintMarks();
}

int CodeView::lineAt(const QTextBlock& block) const { return m_first + block.blockNumber(); }

void CodeView::mark(int from, int to)
{
    if (to <= 0) to = from;
    m_from = std::min(from, to);
    m_to = std::max(from, to);
    const QTextBlock block = document()->findBlockByNumber(from - m_first);
    if (from > 0 && block.isValid()) {
        QTextCursor cursor(block);
        setTextCursor(cursor);
        centerCursor();
    }
    paintMarks();
}

void CodeView::paintMarks()
{
    QList<QTextEdit::ExtraSelection> marks;
    for (QTextBlock block = document()->findBlockByNumber(std::max(0, m_from - m_first));
         m_from > 0 && block.isValid() && isMarked(lineAt(block)); block = block.next()) {
        QTextEdit::ExtraSelection mark;
        mark.format.setBackground(themeOf(*this).raised);
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
        mark.cursor = QTextCursor(block);
        marks.append(mark);
    }
    setExtraSelections(marks);
    m_gutter->update();
}

int CodeView::gutterWidth() const
{
    const QString last = QString::number(m_first + std::max(0, blockCount() - 1));
    return fontMetrics().horizontalAdvance(QString(std::max<qsizetype>(3, last.size()), QLatin1Char('0')))
           + 2 * gutterSide;
}

void CodeView::layOut()
{
    setViewportMargins(gutterWidth(), 0, 0, 0);
    const QRect inside = contentsRect();
    m_gutter->setGeometry(inside.left(), inside.top(), gutterWidth(), inside.height());
}

void CodeView::paintGutter()
{
    QPainter painter(m_gutter);
    const Theme& theme = themeOf(*this);
    painter.fillRect(m_gutter->rect(), theme.panel);
    painter.setFont(font());
    QTextBlock block = firstVisibleBlock();
    double top = blockBoundingGeometry(block).translated(contentOffset()).top();
    while (block.isValid() && top <= m_gutter->height()) {
        const double height = blockBoundingRect(block).height();
        const int line = lineAt(block);
        const QRectF box(0, top, m_gutter->width() - gutterSide, height);
        if (isMarked(line)) {
            painter.fillRect(QRectF(0, top, m_gutter->width(), height), theme.raised);
            painter.fillRect(QRectF(0, top, markWidth, height), theme.accent);
        }
        painter.setPen(isMarked(line) ? theme.text : theme.mutedText);
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
        top += height;
        block = block.next();
    }
}

void CodeView::resizeEvent(QResizeEvent* event)
{
    QPlainTextEdit::resizeEvent(event);
    layOut();
}

void CodeView::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        layOut();
        paintMarks();
    }
}

void CodeView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) return QPlainTextEdit::keyPressEvent(event);
    Q_EMIT lineActivated(lineAt(textCursor().block()));
}

bool CodeView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_gutter || event->type() != QEvent::Paint) return QPlainTextEdit::eventFilter(watched, event);
    paintGutter();
    return true;
}

}  // namespace longpole
