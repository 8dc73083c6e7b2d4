// SPDX-License-Identifier: GPL-3.0-or-later
// The words that Longpole does not use, as each thing has one word only, and the few places that have to use them.
#pragma once

#include <QRegularExpression>
#include <QString>

#include <cstddef>
#include <vector>

namespace longpole {

struct BannedWord {
    const char* pattern;  // of whole words
    const char* instead;
};

inline constexpr BannedWord bannedWords[] = {
    {"processors?", "PE, of MPI rank; row where it may be either"},
    {"executions?", "task"},
    {"user|useful", "busy"},
    {"severity", "lost"},
    {"PE-ms", "lost: ... of PE-time"},
    {"bounds?|gains? at most", "could save at most"},
    {"zeroing", "what-if"},
    {"(the|its|their) begins?|begins? of", "start"},
    {"so many", "number of ..."},
    {"unless told", "default: ..."},
    {"instances?", "occurrence, or iteration"},
    {"symbols?", "step of a path"},
    {"behind others", "overtaken"},
    {"less sure because|but:", "doubt"},
    {"fires?|fired", "found"},
    {"(bad|worst) periods?", "slow stretches"},
    {"user time", "busy time"},
    {"PE-time looked at", "slow stretches"},
};

struct AllowedPhrase {
    const char* phrase;
    const char* reason;
};

inline constexpr AllowedPhrase allowedPhrases[] = {
    {"user event", "what Charm++ calls an event of the program's own"},
    {"user stat", "what Charm++ calls a number that the program records"},
    {"[user@", "a name in formulas, which are a contract"},
    {"compute] / user", "the same"},
    {"wait / execution", "of an MPI call: the part in which all that it needs are there (docs/definitions.md)"},
    {"wait/execution", "the same"},
    {"/ (execution", "the same"},
    {"execution is the time", "the same, where it is explained"},
    {"%2 execution +", "the same, as one of three parts"},
    {", execution, wait", "the same"},
    {"file of symbols", "the .sts file that names entry methods"},
    {"--symbols", "an option"},
    {"longpole zeroing", "a command"},
    {"logical zeroing", "a method that a paper has named so"},
    {"entry, processor, profile", "tables in SQL, which are a contract"},
};

// These texts alone, as headings of the parts of MPI calls.
inline constexpr const char* allowedTexts[] = {"Execution", "execution"};

// The first banned word in a text, and what to say instead; empty if there is none.
inline QString bannedIn(QString text)
{
    for (const char* whole : allowedTexts)
        if (text == QLatin1String(whole)) return {};
    for (const AllowedPhrase& allowed : allowedPhrases) text.remove(QLatin1String(allowed.phrase), Qt::CaseInsensitive);
    static const std::vector<QRegularExpression> words = [] {
        std::vector<QRegularExpression> all;
        for (const BannedWord& banned : bannedWords)
            all.emplace_back(QStringLiteral("(?<![\\w:])(%1)(?![\\w(:])").arg(QLatin1String(banned.pattern)),
                             QRegularExpression::CaseInsensitiveOption);
        return all;
    }();
    for (std::size_t i = 0; i < words.size(); ++i)
        if (const auto found = words[i].match(text); found.hasMatch())
            return QStringLiteral("%1: say %2").arg(found.captured(), QLatin1String(bannedWords[i].instead));
    return {};
}

}  // namespace longpole
