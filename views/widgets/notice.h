// SPDX-License-Identifier: GPL-3.0-or-later
// What a view has done without anything to see: said by the window around it, whatever view it is.
#pragma once

#include <QEvent>
#include <QString>

class QWidget;

namespace longpole {

class Notice : public QEvent {
public:
    Notice(QString text, QString file) : QEvent(kind()), m_text(std::move(text)), m_file(std::move(file)) {}
    static Type kind();

    const QString& text() const { return m_text; }
    const QString& file() const { return m_file; }  // that was written; empty: none

private:
    QString m_text, m_file;
};

// Reaches the first widget around `from` that accepts it.
void tell(QWidget& from, const QString& text, const QString& file = {});

// A cell of rows that are copied. A spreadsheet takes what begins with = + - or @ for a formula: unless it is a figure
// or a word, an apostrophe comes before it.
QString pastedCell(const QString& text);

// Puts it on the clipboard and says what it was, "12 rows" for instance.
void copyText(QWidget& from, const QString& text, const QString& what);

}  // namespace longpole
