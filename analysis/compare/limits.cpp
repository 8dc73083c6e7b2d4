// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/compare/limits.h"

#include "analysis/base/unknownbytes.h"
#include "core/base/translate.h"
#include "core/base/wide.h"
#include "core/trace/format.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

namespace longpole {

namespace {

constexpr std::int64_t million = 1'000'000;
constexpr std::int64_t perPercent = 10'000;  // millionths

Error notALimit(const QString& text, const LimitSpec& spec)
{
    const QString example = spec.kind == CellKind::Time ? tr("+3%, -5%, +10ms, or 200ms without a baseline")
                                                        : tr("+3%, -5%, +100, or 5000 without a baseline");
    return {tr("'%1' is no limit").arg(text), QString(), tr("Write one as %1.").arg(example)};
}

Result<FigureLimit> parsePercent(FigureLimit limit, const QString& text, const LimitSpec& spec)
{
    static const QRegularExpression form(QStringLiteral("^([+-]?)(\\d{1,6})(?:\\.(\\d{1,4}))?\\s*%$"));
    const QRegularExpressionMatch match = form.match(text);
    if (!match.hasMatch()) return notALimit(text, spec);
    const std::int64_t part = match.captured(3).leftJustified(4, QLatin1Char('0')).toLongLong();
    limit.kind = LimitKind::Percent;
    limit.amount = match.captured(2).toLongLong() * perPercent + part;
    if (match.captured(1) == QLatin1String("-")) limit.amount = -limit.amount;
    constexpr std::int64_t most = 100'000 * perPercent;
    if (limit.amount < -million)
        return Error{tr("'%1': no run is more than 100 % better").arg(text), QString(), QString()};
    if (limit.amount > most) return Error{tr("'%1': 100 000 % is the most").arg(text), QString(), QString()};
    return limit;
}

Result<std::int64_t> parseBytes(const QString& text, const LimitSpec& spec)
{
    static const QRegularExpression form(QStringLiteral("^(\\d+)\\s*(|B|kB|MB|GB)$"));
    const QRegularExpressionMatch match = form.match(text);
    bool fits = false;
    std::int64_t amount = match.captured(1).toLongLong(&fits);
    if (!match.hasMatch() || !fits) return notALimit(text, spec);
    const QStringList units{QString(), QStringLiteral("kB"), QStringLiteral("MB"), QStringLiteral("GB")};
    for (auto i = units.indexOf(match.captured(2)); i > 0; --i) amount = saturatingMultiply(amount, 1000);
    return amount;
}

Result<std::int64_t> parseAmount(const QString& text, const LimitSpec& spec)
{
    if (text.isEmpty() || text.contains(QLatin1Char('-'))) return notALimit(text, spec);
    if (spec.kind == CellKind::Time) return parseTime(text);
    if (spec.kind == CellKind::Bytes) return parseBytes(text, spec);
    bool isNumber = false;
    const std::int64_t amount = text.toLongLong(&isNumber);
    if (!isNumber || text.startsWith(QLatin1Char('+'))) return notALimit(text, spec);
    return amount;
}

QString amountText(std::int64_t amount, CellKind kind)
{
    if (kind == CellKind::Time) return formatTime(amount);
    return kind == CellKind::Bytes ? formatBytes(amount) : formatCount(amount);
}

// Whether `typed` names the method: with or without chare, with or without arguments.
bool isCalled(const MethodFigures& method, const QString& typed)
{
    const Entry entry{.name = method.name, .chare = method.chare};
    const QString full = entryName(entry, false), brief = entryName(entry, true);
    const QString prefix = method.chare + QStringLiteral("::");
    return typed == full || typed == brief || prefix + typed == full || prefix + typed == brief;
}

// Empty if the entry method did not run, or if several have that name.
std::optional<ExactFigure> grainOf(const RunFigures& run, const QString& entry, QString& note)
{
    const MethodFigures* found = nullptr;
    for (const MethodFigures& method : run.methods) {
        if (!isCalled(method, entry)) continue;
        if (found) {
            note = run.info.vocabulary
                       .say(tr("several entry methods are called %1: say which with chare and arguments"),
                            tr("several regions are called %1: say which with group and arguments"))
                       .arg(entry);
            return {};
        }
        found = &method;
    }
    if (!found || found->count == 0) return {};
    return ExactFigure{found->time, found->count};
}

std::optional<ExactFigure> figureOf(const RunFigures& run, const FigureLimit& limit, const Iterations* iterations,
                                    QString& note)
{
    const auto whole = [](std::int64_t value) { return ExactFigure{value, 1}; };
    const std::int64_t pes = std::max<std::int64_t>(1, run.info.processors);
    const bool needsEvents = limit.figure == LimitedFigure::Messages || limit.figure == LimitedFigure::Bytes;
    if (needsEvents && run.info.isSummary()) {
        note = tr("a summary has no messages");
        return {};
    }
    if (limit.figure == LimitedFigure::Bytes && !areBytesKnown(run.info)) {
        note = tr("a table of calls does not say how much they move");
        return {};
    }
    switch (limit.figure) {
    case LimitedFigure::Duration: return whole(run.duration());
    case LimitedFigure::CriticalPath:
        if (run.work) return whole(run.work->messages);
        note = run.info.isSummary() ? tr("a summary has no critical path") : tr("the run has no tasks");
        return {};
    case LimitedFigure::Iteration:
        if (iterations && !iterations->spans.empty()) return whole(iterations->durations.median);
        note = tr("the critical paths of the two runs do not repeat the same sequence often enough");
        return {};
    case LimitedFigure::Idle: return ExactFigure{run.usage.idle, pes};
    case LimitedFigure::Overhead: return ExactFigure{run.usage.overhead, pes};
    case LimitedFigure::Messages: return whole(run.info.messages);
    case LimitedFigure::Bytes: return whole(run.bytes);
    case LimitedFigure::Grain: return grainOf(run, limit.entry, note);
    }
    return {};
}

// A run that lacks the entry method counts as having none of it. If both lack it there is nothing to judge.
void settleGrain(Vocabulary words, JudgedLimit& judged)
{
    if (!judged.note.isEmpty()) return;
    if (!judged.run && !judged.baseline) {
        judged.note = words.say(tr("no entry method that ran is called %1"), tr("no region that ran is called %1"))
                          .arg(judged.limit.entry);
        return;
    }
    if (!judged.run) judged.note = tr("%1 did not run").arg(judged.limit.entry);
    if (!judged.baseline) judged.note = tr("%1 did not run in the baseline").arg(judged.limit.entry);
    if (!judged.run) judged.run = ExactFigure{};
    if (!judged.baseline) judged.baseline = ExactFigure{};
}

void decide(JudgedLimit& judged)
{
    const FigureLimit& limit = judged.limit;
    const bool hasBaseline = judged.baseline.has_value() || !limit.needsBaseline();
    if (!judged.run || !hasBaseline) return;
    judged.verdict = isKept(limit, judged.baseline.value_or(ExactFigure{}), *judged.run) ? LimitVerdict::Kept
                                                                                         : LimitVerdict::Crossed;
    if (limit.kind == LimitKind::Percent && judged.baseline->numerator == 0 && judged.note.isEmpty())
        judged.note = tr("the baseline has none, and a part of nothing is nothing");
}

}  // namespace

const LimitSpec& specOf(LimitedFigure figure)
{
    return *std::find_if(limitSpecs.begin(), limitSpecs.end(),
                         [figure](const LimitSpec& spec) { return spec.figure == figure; });
}

Result<FigureLimit> parseLimit(LimitedFigure figure, const QString& text)
{
    const LimitSpec& spec = specOf(figure);
    FigureLimit limit{.figure = figure};
    QString value = text.trimmed();
    if (figure == LimitedFigure::Grain) {
        const qsizetype at = value.lastIndexOf(QLatin1Char('='));
        if (at <= 0) return Error{tr("'%1' lacks the entry method").arg(text), QString(), tr("Write ENTRY=+10%.")};
        limit.entry = value.left(at).trimmed();
        value = value.mid(at + 1).trimmed();
    }
    if (value.endsWith(QLatin1Char('%'))) return parsePercent(limit, value, spec);
    const bool isLess = value.startsWith(QLatin1Char('-'));
    const bool isSigned = isLess || value.startsWith(QLatin1Char('+'));
    const auto amount = parseAmount(isSigned ? value.mid(1).trimmed() : value, spec);
    if (!amount) return notALimit(value, spec);
    limit.kind = isSigned ? LimitKind::Difference : LimitKind::Most;
    limit.amount = isLess ? -*amount : *amount;
    return limit;
}

QString toText(const FigureLimit& limit)
{
    const QString sign = limit.amount < 0 ? QStringLiteral("-") : QStringLiteral("+");
    if (limit.kind == LimitKind::Percent) {
        QString digits = QString::number(double(std::abs(limit.amount)) / double(perPercent), 'f', 4);
        while (digits.endsWith(QLatin1Char('0'))) digits.chop(1);
        if (digits.endsWith(QLatin1Char('.'))) digits.chop(1);
        return sign + digits + QStringLiteral(" %");
    }
    const CellKind kind = specOf(limit.figure).kind;
    if (limit.kind == LimitKind::Most) return tr("at most %1").arg(amountText(limit.amount, kind));
    return sign + amountText(std::abs(limit.amount), kind);
}

std::vector<FigureLimit> defaultLimits()
{
    constexpr std::int64_t fivePercent = 5 * perPercent;
    std::vector<FigureLimit> limits;
    for (const LimitedFigure figure : {LimitedFigure::Duration, LimitedFigure::CriticalPath})
        limits.push_back({.figure = figure, .amount = fivePercent, .isAsked = false});
    return limits;
}

const char* name(LimitVerdict verdict)
{
    if (verdict == LimitVerdict::Kept) return "kept";
    return verdict == LimitVerdict::Crossed ? "crossed" : "not_judged";
}

namespace {

// Whether one product is at most the other. Exact where both products fit into 127 bits, as those of sums of ns below
// 2^60, counts below 2^36 and factors below 2^31 do; figures of no run are compared as floating-point numbers.
bool isAtMost(const std::array<std::int64_t, 3>& left, const std::array<std::int64_t, 3>& right)
{
    const auto product = [](const std::array<std::int64_t, 3>& factors) {
        Wide exact = 0;
        const bool isTooLarge = __builtin_mul_overflow(Wide{factors[0]} * factors[1], factors[2], &exact);
        return isTooLarge ? std::optional<Wide>() : exact;
    };
    const auto a = product(left), b = product(right);
    if (a && b) return *a <= *b;
    const auto rough = [](const std::array<std::int64_t, 3>& factors) {
        return static_cast<long double>(factors[0]) * static_cast<long double>(factors[1])
               * static_cast<long double>(factors[2]);
    };
    return rough(left) <= rough(right);
}

}  // namespace

bool isKept(const FigureLimit& limit, const ExactFigure& baseline, const ExactFigure& run)
{
    switch (limit.kind) {
    case LimitKind::Percent:
        return isAtMost({run.numerator, baseline.denominator, million},
                        {baseline.numerator, run.denominator, saturatingAdd(million, limit.amount)});
    case LimitKind::Difference: {
        const Wide is = Wide{run.numerator} * baseline.denominator;
        const Wide was = Wide{baseline.numerator} * run.denominator;
        Wide difference = 0, most = 0;
        const Wide denominators = Wide{run.denominator} * baseline.denominator;
        if (__builtin_sub_overflow(is, was, &difference)) return is <= was;
        if (__builtin_mul_overflow(denominators, limit.amount, &most)) return limit.amount > 0;
        return difference <= most;
    }
    case LimitKind::Most: break;
    }
    return Wide{run.numerator} <= Wide{limit.amount} * run.denominator;
}

std::vector<JudgedLimit> judge(const Comparison& comparison, const std::vector<FigureLimit>& limits)
{
    std::vector<JudgedLimit> judged;
    const auto& phase = comparison.phase;
    for (const FigureLimit& limit : limits) {
        JudgedLimit one{.limit = limit};
        one.baseline = figureOf(comparison.a, limit, phase ? &phase->a : nullptr, one.note);
        one.run = figureOf(comparison.b, limit, phase ? &phase->b : nullptr, one.note);
        if (limit.figure == LimitedFigure::Grain) settleGrain(comparison.b.info.vocabulary, one);
        decide(one);
        judged.push_back(std::move(one));
    }
    return judged;
}

std::vector<JudgedLimit> judge(const RunFigures& run, const std::vector<FigureLimit>& limits)
{
    std::vector<JudgedLimit> judged;
    for (const FigureLimit& limit : limits) {
        JudgedLimit one{.limit = limit};
        if (limit.needsBaseline() || limit.figure == LimitedFigure::Iteration)
            one.note = tr("there is no baseline to compare it with");
        else one.run = figureOf(run, limit, nullptr, one.note);
        if (!one.run && one.note.isEmpty())
            one.note = run.info.vocabulary
                           .say(tr("no entry method that ran is called %1"), tr("no region that ran is called %1"))
                           .arg(limit.entry);
        decide(one);
        judged.push_back(std::move(one));
    }
    return judged;
}

}  // namespace longpole
