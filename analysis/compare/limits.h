// SPDX-License-Identifier: GPL-3.0-or-later
// Limits that a run must keep, relative to a baseline or absolute, judged exactly; `longpole check` consists of them.
#pragma once

#include "analysis/compare/comparison.h"
#include "core/base/result.h"
#include "core/trace/vocabulary.h"

#include <QCoreApplication>
#include <QString>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace longpole {

enum class LimitedFigure : std::uint8_t { Duration, CriticalPath, Iteration, Idle, Overhead, Messages, Bytes, Grain };

// A figure that can have a limit: the list drives the options of the command, its help and its answers. Texts are
// untranslated.
struct LimitSpec {
    LimitedFigure figure;
    const char* id;  // in JSON
    const char* option;
    const char* value;  // what the option takes
    Saying title;
    CellKind kind;
    const char* help;
};
inline constexpr std::array<LimitSpec, 8> limitSpecs{{
    {LimitedFigure::Duration, "duration", "max-duration", "LIMIT", QT_TRANSLATE_NOOP("longpole", "duration"),
     CellKind::Time, "of the run: +5%, unless there is any limit"},
    {LimitedFigure::CriticalPath, "critical_path", "max-critical-path", "LIMIT",
     QT_TRANSLATE_NOOP("longpole", "critical path"), CellKind::Time,
     "of the work path at messages: +5%, unless there is any limit"},
    {LimitedFigure::Iteration, "iteration", "max-iteration", "LIMIT", QT_TRANSLATE_NOOP("longpole", "iteration"),
     CellKind::Time, "of the median iteration, where the critical paths of both runs repeat the same sequence"},
    {LimitedFigure::Idle,
     "idle",
     "max-idle",
     "LIMIT",
     {QT_TRANSLATE_NOOP("longpole", "idle"), QT_TRANSLATE_NOOP("longpole", "waiting in MPI")},
     CellKind::Time,
     "of the mean idle time of a PE or rank"},
    {LimitedFigure::Overhead,
     "overhead",
     "max-overhead",
     "LIMIT",
     {QT_TRANSLATE_NOOP("longpole", "overhead"), QT_TRANSLATE_NOOP("longpole", "in MPI")},
     CellKind::Time,
     "of the mean overhead of a PE or rank"},
    {LimitedFigure::Messages, "messages", "max-messages", "LIMIT", QT_TRANSLATE_NOOP("longpole", "messages"),
     CellKind::Count, "of the number of messages"},
    {LimitedFigure::Bytes, "bytes", "max-bytes", "LIMIT", QT_TRANSLATE_NOOP("longpole", "bytes sent"), CellKind::Bytes,
     "of the bytes sent"},
    {LimitedFigure::Grain, "grain", "max-grain", "E=LIMIT", QT_TRANSLATE_NOOP("longpole", "mean grain"), CellKind::Time,
     "of the mean time that tasks of an entry method ran themselves; repeated: of each"},
}};
const LimitSpec& specOf(LimitedFigure figure);

// Percent: run <= baseline x (1 + amount / 1 000 000). Difference: run <= baseline + amount. Most: run <= amount.
enum class LimitKind : std::uint8_t { Percent, Difference, Most };

struct FigureLimit {
    LimitedFigure figure = LimitedFigure::Duration;
    LimitKind kind = LimitKind::Percent;
    std::int64_t amount = 0;
    QString entry{};      // for Grain: the entry method's name
    bool isAsked = true;  // false for the default limits
    bool needsBaseline() const { return kind != LimitKind::Most; }
};

// "+3%", "3%", "-5%" (at most four decimals, from -100 % to 100 000 %); "+10ms", "-1s"; "200ms". Of counts and bytes
// numbers instead of times: "+100", "5000". Of Grain "ENTRY=" before it. Errors say what is wrong.
Result<FigureLimit> parseLimit(LimitedFigure figure, const QString& text);
QString toText(const FigureLimit& limit);  // "+3 %", "at most 200 ms"

// A duration and a critical path 5 % longer than the baseline's.
std::vector<FigureLimit> defaultLimits();

// numerator / denominator, exact: idle and overhead are means of a PE, grain the mean of an entry method's tasks.
struct ExactFigure {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;
    std::int64_t rounded() const { return denominator == 0 ? 0 : numerator / denominator; }
};

enum class LimitVerdict : std::uint8_t { Kept, Crossed, NotJudged };
const char* name(LimitVerdict verdict);  // "kept", "crossed", "not_judged"

struct JudgedLimit {
    FigureLimit limit{};
    std::optional<ExactFigure> baseline{}, run{};
    LimitVerdict verdict = LimitVerdict::NotJudged;
    QString note{};  // why it is not judged, or that the baseline lacks the entry method
};

// Exact: run <= limit. All figures must be >= 0.
bool isKept(const FigureLimit& limit, const ExactFigure& baseline, const ExactFigure& run);

// `comparison`: a is the baseline, b the run.
std::vector<JudgedLimit> judge(const Comparison& comparison, const std::vector<FigureLimit>& limits);
// Judges without a baseline; limits that need one are not judged.
std::vector<JudgedLimit> judge(const RunFigures& run, const std::vector<FigureLimit>& limits);

}  // namespace longpole
