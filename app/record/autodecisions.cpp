// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/autodecisions.h"

#include "analysis/base/json.h"
#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"

#include <QFile>

#include <cmath>

namespace longpole {

namespace {

constexpr qint64 longestDecision = 1 << 20;  // the module's have some hundred bytes

std::optional<double> realOf(const JsonValue& object, const char* key)
{
    const JsonValue& value = memberOf(object, key);
    if (!value.is_number()) return {};
    const double number = value.get<double>();
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

// Nothing also of a time that is below zero, or that no nanoseconds hold.
std::optional<double> secondsOf(const JsonValue& object, const char* key)
{
    constexpr double most = 9e9;
    const std::optional<double> seconds = realOf(object, key);
    return seconds && *seconds >= 0 && *seconds <= most ? seconds : std::nullopt;
}

std::optional<MeasuredTimes> timesOf(const JsonValue& object, const char* key)
{
    const JsonValue& times = memberOf(object, key);
    const auto median = secondsOf(times, "median_s"), low = secondsOf(times, "low_s"),
               high = secondsOf(times, "high_s");
    if (!median || !low || !high) return {};
    return MeasuredTimes{*median, *low, *high, integerOf(times, "count", 0)};
}

std::optional<AutoDecision> parseDecision(const QByteArray& line)
{
    const std::optional<JsonValue> json = parseJson(line);
    if (!json || textOf(*json, "format") != QStringLiteral("longpole-auto") || integerOf(*json, "version", 0) != 1)
        return {};
    const auto time = secondsOf(*json, "time_s");
    const auto named = [](const JsonValue& object, const char* key) {
        return textOf(object, key).left(limits::nameLength.free);
    };
    AutoDecision decision{.time = time.value_or(-1),
                          .decision = named(*json, "decision"),
                          .measure = named(*json, "measure"),
                          .gain = realOf(*json, "gain")};
    if (decision.time < 0 || decision.decision.isEmpty()) return {};
    decision.isTrial = integerOf(*json, "trial", 0) > 0;
    for (const JsonValue& entry : listOf(*json, "entries")) decision.entries << named(entry, "name");
    for (const JsonValue& entry : listOf(*json, "base")) decision.base << named(entry, "name");
    const bool isDrift = decision.decision == QStringLiteral("drifted");
    decision.without = timesOf(*json, isDrift ? "before" : "off");
    decision.with = timesOf(*json, isDrift ? "after" : "on");
    return decision;
}

}  // namespace

Result<std::vector<AutoDecision>> readAutoDecisions(const QString& file)
{
    if (mayNeverEnd(file)) return Error{tr("This is no ordinary file."), file, tr("Check its name.")};
    QFile in(file);
    if (!in.open(QIODevice::ReadOnly))
        return Error{tr("The decisions cannot be read: %1.").arg(in.errorString()), file,
                     tr("A program that runs with +longpole-auto notes them in longpole-auto.jsonl.")};
    std::vector<AutoDecision> decisions;
    for (std::int64_t number = 1;; ++number) {
        const QByteArray line = in.readLine(longestDecision + 2);
        if (!line.endsWith('\n') && line.size() <= longestDecision) return decisions;
        std::optional<AutoDecision> decision = parseDecision(line);
        if (!decision)
            return Error{tr("This is no decision about priorities that this version reads."),
                         tr("%1, line %2").arg(file, QString::number(number)),
                         {}};
        decisions.push_back(std::move(*decision));
    }
}

}  // namespace longpole
