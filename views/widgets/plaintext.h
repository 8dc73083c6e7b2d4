// SPDX-License-Identifier: GPL-3.0-or-later
// Names of a trace are a stranger's: no label, tooltip or message box of the program guesses that a text is HTML. A
// label that shows HTML of ours says so (Qt::RichText) and escapes what is not ours.
#pragma once

#include <QObject>
#include <QString>

class QApplication;

namespace longpole {

// Makes every label that would guess show plain text, tooltips' and message boxes' labels too, before it looks at its
// text for the first time; and of tooltips that are too long to read their begin.
class PlainText : public QObject {
    Q_OBJECT
public:
    explicit PlainText(QApplication& application);  // which outlives it

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

// A sentence in lines of about 80 characters, for a tooltip: plain ones are not wrapped.
QString inLines(const QString& sentence);

}  // namespace longpole
