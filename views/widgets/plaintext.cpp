// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/plaintext.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>

namespace longpole {

PlainText::PlainText(QApplication& application) { application.installEventFilter(this); }

// A label is polished before its size is asked for and before it is shown; the text of a tooltip is set after that.
bool PlainText::eventFilter(QObject* watched, QEvent* event)
{
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
