// SPDX-License-Identifier: GPL-3.0-or-later
// A text as sentences and words, and what is wrong with it by the rules of how Longpole speaks.
#pragma once

#include <QRegularExpression>
#include <QString>
#include <QStringList>

namespace longpole {

inline QStringList sentencesOf(const QString& text)
{
    static const QRegularExpression end(QStringLiteral("(?<=[.?!])\\s+"));
    return text.split(end, Qt::SkipEmptyParts);
}

// What has a letter or a digit; a figure and its unit are two.
inline int wordsIn(const QString& text)
{
    static const QRegularExpression word(QStringLiteral("\\S*[\\p{L}\\p{N}]\\S*"));
    int count = 0;
    for (auto found = word.globalMatch(text); found.hasNext(); found.next()) ++count;
    return count;
}

// Nothing, or the sentence that breaks a rule: more than 25 words, talk of tests, a figure that is missing.
inline QString wrongIn(const QString& text)
{
    constexpr int mostWords = 25;
    static const QRegularExpression banned(
        QStringLiteral("\\b(test|tests|fires|fired|fire|it takes|threshold|thresholds)\\b"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression missing(QStringLiteral("%[0-9]|\\(\\)|  "));
    for (const QString& sentence : sentencesOf(text))
        if (wordsIn(sentence) > mostWords || sentence.contains(banned) || sentence.contains(missing)) return sentence;
    return {};
}

}  // namespace longpole
