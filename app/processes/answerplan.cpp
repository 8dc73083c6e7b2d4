// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/answerplan.h"

#include "distributed/transport/records.h"

#include <array>
#include <initializer_list>
#include <vector>

namespace longpole {
namespace {

// `usual`: how long the part takes, in tenths of what reading and matching takes (docs/concepts/scale.md).
struct PartSpec {
    const char* name;
    int usual;
};
constexpr std::array<PartSpec, answerParts> partSpecs{
    {{"near-critical", 14}, {"causes", 10}, {"advice", 5}, {"slack", 2}, {"zeroing", 4}, {"phases", 1}}};
constexpr int usualPaths = 10;  // both paths, profile, efficiencies, which are never left out
constexpr int usualTrace = 30;

constexpr std::size_t placeOf(AnswerPart part) { return static_cast<std::size_t>(part); }

// Advice ranks what was waited for.
AnswerPartSet withThoseInNeed(AnswerPartSet parts)
{
    if (parts[placeOf(AnswerPart::Causes)]) parts.set(placeOf(AnswerPart::Advice));
    return parts;
}

}  // namespace

QStringList answerPartNames()
{
    QStringList names;
    for (const PartSpec& spec : partSpecs) names << QLatin1String(spec.name);
    return names;
}

std::optional<AnswerPartSet> answerPartsOf(const QString& names)
{
    const QStringList known = answerPartNames();
    AnswerPartSet parts;
    for (const QString& name : names.split(QLatin1Char(','))) {
        const qsizetype place = known.indexOf(name.trimmed());
        if (place < 0) return {};
        parts.set(static_cast<std::size_t>(place));
    }
    return withThoseInNeed(parts);
}

std::bitset<answerTables> tablesOf(const AnswerPartSet& parts)
{
    std::bitset<answerTables> tables;
    const auto add = [&](AnswerPart part, std::initializer_list<AnswerTable> its) {
        for (const AnswerTable table : its)
            if (parts[placeOf(part)]) tables.set(static_cast<std::size_t>(table));
    };
    add(AnswerPart::NearCritical, {AnswerTable::NearPath, AnswerTable::NearStep});
    add(AnswerPart::Causes, {AnswerTable::Cause});
    add(AnswerPart::Advice, {AnswerTable::Advice, AnswerTable::AdvicePlace});
    add(AnswerPart::Slack, {AnswerTable::Slack});
    add(AnswerPart::Zeroing, {AnswerTable::Zeroing, AnswerTable::ZeroingProfile});
    add(AnswerPart::Phases, {AnswerTable::Loop, AnswerTable::LoopMark, AnswerTable::MergedStep,
                             AnswerTable::MergedProfile, AnswerTable::PhaseRound});
    return tables;
}

AnswerPlan::AnswerPlan(Transport& transport, const AnswerWishes& wishes)
    : m_transport(transport), m_wishes(wishes), m_leftOut(wishes.leftOut)
{
}

bool AnswerPlan::finds(AnswerPart part)
{
    if (m_wishes.deadline) {
        if (m_transport.isRoot()) leaveOutWhatIsLate();
        const std::vector<std::uint64_t> own{m_leftOut.to_ullong(), m_late.to_ullong()};
        const auto told = recordsOf<std::uint64_t>(m_transport, m_transport.broadcast(toBytes(own)));
        if (told.size() == own.size()) {
            m_leftOut = told[0];
            m_late = told[1];
        }
    }
    m_had.set(placeOf(part));
    return !m_leftOut[placeOf(part)];
}

void AnswerPlan::leaveOutWhatIsLate()
{
    const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - m_begin;
    if (m_reading.count() == 0) m_reading = passed;
    const auto needed = [this] {
        int tenths = m_wishes.writesTrace ? usualTrace : 0;
        if (!m_had[placeOf(AnswerPart::Slack)]) tenths += usualPaths;
        for (std::size_t i = 0; i < answerParts; ++i)
            if (!m_had[i] && !m_leftOut[i]) tenths += partSpecs[i].usual;
        return m_reading / 10 * tenths;
    };
    for (std::size_t i = 0; i < answerParts && passed + needed() > *m_wishes.deadline; ++i) {
        if (m_had[i] || m_leftOut[i]) continue;
        const AnswerPartSet before = m_leftOut;
        m_leftOut = withThoseInNeed(AnswerPartSet(before).set(i));
        m_late |= m_leftOut & ~before;
    }
}

}  // namespace longpole
