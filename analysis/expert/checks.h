// SPDX-License-Identifier: GPL-3.0-or-later
// The list of checks that a run has to pass before it is judged, and which verdicts each one withdraws or weakens.
#pragma once

#include "core/trace/vocabulary.h"

#include <QString>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace longpole {

enum class CheckId : std::uint8_t {
    ProcessorTime,
    Interrupted,
    StartUp,
    Flushes,
    Clocks,
    Logs,
    Messages,
    ReceiveTimes
};

enum class CheckLevel : std::uint8_t {
    Passed,
    CantTell,
    Doubtful,  // verdicts that it touches lose confidence
    Failed     // it withdraws some verdicts, and weakens others
};

struct Check {
    CheckId id = CheckId::ProcessorTime;
    CheckLevel level = CheckLevel::Passed;
    double value = 0;       // a share, of what the list below says
    QString says{};         // one or two sentences
    QString because{};      // "this run had fewer cores than PEs"; of a failed one that withdraws verdicts
    QString needs{};        // "a run with a core for every PE"; of the same
    QString doubt{};        // what advice says that it weakens; empty if passed
    double confidence = 1;  // by which that advice's is multiplied
    std::span<const std::string_view> withdraws{};  // if failed, besides what its spec does

    bool isInDoubt() const { return level == CheckLevel::Doubtful || level == CheckLevel::Failed; }
};

enum class CheckEffect : std::uint8_t { None, Weakens, Withdraws };

struct CheckSpec {
    CheckId id;
    const char* name;     // in JSON: "processor_time"
    const char* title;    // to be translated
    const char* meaning;  // what is looked at, and what the value is a share of; to be translated
    const char* passes;   // when it passes, and when it fails; to be translated
    // Ids of nodes of the decision tree, in which verdicts are given. Those that are in neither list stand.
    std::span<const std::string_view> withdraws;
    std::span<const std::string_view> weakens;
};

// In the order in which they are said.
std::span<const CheckSpec> checkSpecs();
// What a rank without a core spoils, as it keeps those waiting that wait for it; and what needs every rank's calls.
std::span<const std::string_view> verdictsOfWaits();
std::span<const std::string_view> verdictsOfAllRanks();
const CheckSpec& specOf(CheckId check);
// The verdicts that checks may touch: ids of nodes, in the order of the tree.
std::span<const std::string_view> checkedVerdicts();

// What a check that failed does to a verdict. One that is only doubtful weakens what it would withdraw.
CheckEffect effectOf(CheckId check, const QString& verdict);
CheckEffect effectOf(const Check& check, const QString& verdict);
// The first check that withdraws a verdict; null if none does.
const Check* withdrawing(std::span<const Check> checks, const QString& verdict);

// What is said before anything else: what the failed checks say, and of doubtful ones what tasks did. Empty if nothing.
QString firstWords(std::span<const Check> checks);

// "Logs, Messages": the failed checks on which every verdict rests. Empty if there is none.
QString failedForAll(std::span<const Check> checks);

}  // namespace longpole
