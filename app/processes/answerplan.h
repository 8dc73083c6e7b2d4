// SPDX-License-Identifier: GPL-3.0-or-later
// Which parts of an analysis by several processes are looked for: not those that --no names, nor those for which
// --deadline comes too early.
#pragma once

#include "analysis/base/rational.h"
#include "core/base/limits.h"
#include "core/trace/storedanswers.h"
#include "distributed/transport/transport.h"

#include <QString>
#include <QStringList>

#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace longpole {

// What can be left out; the first are the first to go where time is short.
enum class AnswerPart : std::uint8_t { NearCritical, Causes, Advice, Slack, Zeroing, Phases };
constexpr std::size_t answerParts = 6;
using AnswerPartSet = std::bitset<answerParts>;

// Their names, in the order of AnswerPart, as --no takes them.
QStringList answerPartNames();
// Of names separated by commas. Nothing if one is no part's.
std::optional<AnswerPartSet> answerPartsOf(const QString& names);
// What a trace of parts lacks without them.
std::bitset<answerTables> tablesOf(const AnswerPartSet& parts);

// Equal at all processes.
struct AnswerWishes {
    AnswerPartSet leftOut{};
    std::optional<std::chrono::nanoseconds> deadline{};  // after the begin of the analysis
    bool writesTrace = false;
    Rational factor{0, 1};                             // of what-if
    std::int64_t zeroed = limits::zeroedEntries.free;  // regions, those with most of the path
};

class AnswerPlan {
public:
    AnswerPlan(Transport& transport, const AnswerWishes& wishes);

    const AnswerWishes& wishes() const { return m_wishes; }
    // Whether the part, whose turn it is, is looked for. All processes call it, once for each part; the first call
    // tells what reading took. Where there is a deadline process 0 leaves out, first ones first, until the rest should
    // be done by then, as parts usually take so many times what reading takes.
    bool finds(AnswerPart part);
    // After all have had their turn, at every process.
    const AnswerPartSet& leftOut() const { return m_leftOut; }
    const AnswerPartSet& leftOutByDeadline() const { return m_late; }

private:
    void leaveOutWhatIsLate();

    Transport& m_transport;
    AnswerWishes m_wishes;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    std::chrono::nanoseconds m_reading{};  // 0: not done yet
    AnswerPartSet m_leftOut;
    AnswerPartSet m_late;  // of these, by the deadline
    AnswerPartSet m_had;   // their turn
};

}  // namespace longpole
