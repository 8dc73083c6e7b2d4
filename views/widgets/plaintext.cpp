// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/plaintext.h"

#include <QApplication>
#include <QEvent>
#include <QHelpEvent>
#include <QLabel>
#include <QToolTip>

namespace longpole {
namespace {

// Shows the begin of a tooltip that is longer than anybody reads: the whole would take seconds to lay out, and a window
// as long as the text.
bool isLongTip(QObject* watched, const QHelpEvent& event)
{
    constexpr qsizetype most = 2000, ofLine = 100;
    auto* const widget = qobject_cast<QWidget*>(watched);
    if (widget == nullptr || widget->toolTip().size() <= most) return false;
    const QString text = widget->toolTip().left(most);
    QString lines;
    for (qsizetype at = 0; at < text.size(); at += ofLine) lines += text.mid(at, ofLine) + u'\n';
    QToolTip::showText(event.globalPos(), lines + QChar(0x2026), widget);
    return true;
}

}  // namespace

PlainText::PlainText(QApplication& application) { application.installEventFilter(this); }

// A label is polished before its size is asked for and before it is shown; the text of a tooltip is set after that.
bool PlainText::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ToolTip) return isLongTip(watched, static_cast<const QHelpEvent&>(*event));
    if (event->type() != QEvent::Polish) return false;
    auto* const label = qobject_cast<QLabel*>(watched);
    if (label && label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
    return false;
}

QString inLines(const QString& sentence)
{
    constexpr qsizetype longest = 80;
    QString lines;
    qsizetype length = 0;
    for (const QString& word : sentence.split(u' ')) {
        const bool isFirst = lines.isEmpty();
        const bool breaks = !isFirst && length + word.size() >= longest;
        if (!isFirst) lines += breaks ? u'\n' : u' ';
        length = breaks ? word.size() : length + word.size() + 1;
        lines += word;
    }
    return lines;
}

}  // namespace longpole
