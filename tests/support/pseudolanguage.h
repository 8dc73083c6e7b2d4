// SPDX-License-Identifier: GPL-3.0-or-later
// A language that nobody speaks: every translated text has accents on its letters and is longer. What shows plain
// letters was not translated; what does not fit would not fit in a real language either.
#pragma once

#include <QString>
#include <QTranslator>

namespace longpole::test {

// "Open" is "Öpêñ~". Placeholders, markup, escapes and what stands in it of code stay: "%1", "<b>", "&", "\n".
inline QString accented(const QString& source)
{
    static const QString plain = QStringLiteral("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    static const QString marked = QString::fromUtf8("åƀćđéƒĝĥíĵķļɱñöƥɋŕšţûṽŵẋýžÅƁĆĐÉƑĜĤÍĴĶĻṀÑÖƤɊŔŠŢÛṼŴẊÝŽ");
    QString text;
    int letters = 0;
    for (qsizetype i = 0; i < source.size(); ++i) {
        const QChar c = source[i];
        if (c == QLatin1Char('%') && i + 1 < source.size() && source[i + 1].isDigit()) {
            text += c;
            while (i + 1 < source.size() && source[i + 1].isDigit()) text += source[++i];
            continue;
        }
        const qsizetype at = plain.indexOf(c);
        text += at < 0 ? c : marked[at];
        letters += at >= 0;
    }
    // Half as long again for a few letters, a third for many, as German is to English.
    const int more = letters == 0 ? 0 : letters < 10 ? (letters + 1) / 2 : letters / 3;
    const qsizetype end = text.endsWith(QLatin1Char('\n')) ? text.size() - 1 : text.size();
    return text.insert(end, QString(more, QLatin1Char('~')));
}

class PseudoLanguage : public QTranslator {
public:
    using QTranslator::QTranslator;
    bool isEmpty() const override { return false; }
    QString translate(const char*, const char* source, const char*, int) const override
    {
        return source ? accented(QString::fromUtf8(source)) : QString();
    }
};

}  // namespace longpole::test
