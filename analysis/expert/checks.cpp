// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/expert/checks.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>

namespace longpole {

namespace {

using namespace std::string_view_literals;

constexpr std::array allVerdicts{"parallelism"sv,   "grainsize"sv,       "mpi_time"sv,    "shared_variables"sv,
                                 "load_balance"sv,  "locality"sv,        "scheduling"sv,  "latency"sv,
                                 "late_messages"sv, "synchronization"sv, "speculative"sv, "serial_chain"sv,
                                 "bottleneck"sv};

constexpr std::array ofTaskTimes{"grainsize"sv, "load_balance"sv, "locality"sv, "latency"sv, "bottleneck"sv};
constexpr std::array besideTaskTimes{"parallelism"sv,   "mpi_time"sv,        "shared_variables"sv, "scheduling"sv,
                                     "late_messages"sv, "synchronization"sv, "speculative"sv,      "serial_chain"sv};
// What ranks wait for each other, and what calls take.
constexpr std::array waitsAndCalls{"mpi_time"sv, "late_messages"sv, "synchronization"sv, "serial_chain"sv};
// What cannot be told from waiting for a rank that is not in the trace, and what all ranks need to be there for.
constexpr std::array ofAllRanks{"mpi_time"sv, "synchronization"sv};
constexpr std::array ofLongTasks{"grainsize"sv,       "load_balance"sv, "scheduling"sv,
                                 "synchronization"sv, "serial_chain"sv, "bottleneck"sv};
constexpr std::array ofOverhead{"grainsize"sv, "parallelism"sv};
constexpr std::array ofArrivals{"locality"sv, "latency"sv};
constexpr std::span<const std::string_view> noVerdict{};

constexpr std::array checkList{
    CheckSpec{
        CheckId::ProcessorTime, "processor_time", QT_TRANSLATE_NOOP("longpole", "CPU time"),
        QT_TRANSLATE_NOOP("longpole",
                          "CPU time of tasks against the time that they took. The value is the share of busy "
                          "time in which tasks were surely not running. Of recordings of MPI programs: the share of "
                          "the ranks' time in which they could have run and had no core, or, of older ones, that of "
                          "ranks beyond the cores that they may run on."),
        QT_TRANSLATE_NOOP("longpole",
                          "Passes below 5 %. Doubtful if the tasks seem to sleep, or if CPU time is below half "
                          "of busy time and its clock too coarse to say more. Else the run had fewer cores than "
                          "PEs, and it fails. Of MPI programs it fails with fewer cores than ranks, or if others took "
                          "them for more than 20 % of the ranks' time. Then what ranks waited for each other is not "
                          "judged either."),
        ofTaskTimes, besideTaskTimes},
    CheckSpec{CheckId::Interrupted, "interrupted", QT_TRANSLATE_NOOP("longpole", "Interrupted tasks"),
              QT_TRANSLATE_NOOP("longpole",
                                "Tasks that were not running, or took much longer than theirs usually do, rarely and "
                                "on many PEs. The value is what they lost, of busy time."),
              QT_TRANSLATE_NOOP("longpole", "Passes up to 2 %, doubtful up to 20 %."), noVerdict, ofLongTasks},
    CheckSpec{CheckId::StartUp, "startup", QT_TRANSLATE_NOOP("longpole", "Start-up"),
              QT_TRANSLATE_NOOP("longpole",
                                "The first part of the run, in which next to no tasks run. The value is its share of "
                                "the run. MPI runs leave start-up out; of them it is the time that ranks waited in "
                                "MPI_Finalize for the last one, of all ranks' time."),
              QT_TRANSLATE_NOOP("longpole", "Passes up to 10 %, in MPI runs up to 5 %. Longer, it is doubtful."),
              noVerdict, ofOverhead},
    CheckSpec{CheckId::Flushes, "flushes", QT_TRANSLATE_NOOP("longpole", "Writing of the trace"),
              QT_TRANSLATE_NOOP("longpole", "Time in which trace buffers were written or tracing was off, of PE-time."),
              QT_TRANSLATE_NOOP("longpole",
                                "Passes up to 1 % for writing and 0.1 % without tracing, doubtful up to 10 %."),
              noVerdict, allVerdicts},
    CheckSpec{CheckId::Clocks, "clocks", QT_TRANSLATE_NOOP("longpole", "Clocks"),
              QT_TRANSLATE_NOOP("longpole", "Messages that seem to arrive before they are sent, of all messages."),
              QT_TRANSLATE_NOOP("longpole", "Passes up to 0.1 % (MPI: none), doubtful up to 5 %."), noVerdict,
              allVerdicts},
    CheckSpec{
        CheckId::Logs, "logs", QT_TRANSLATE_NOOP("longpole", "Logs"),
        QT_TRANSLATE_NOOP("longpole",
                          "PEs whose log is missing, of all. Logs that are cut or damaged, and records that cannot "
                          "be read, count, too."),
        QT_TRANSLATE_NOOP("longpole",
                          "Passes if every log is there and whole. Of MPI programs whose ranks are not all there, "
                          "time in MPI and collective calls are not judged: calls wait for ranks that nobody "
                          "sees."),
        noVerdict, allVerdicts},
    CheckSpec{CheckId::Messages, "messages", QT_TRANSLATE_NOOP("longpole", "Messages"),
              QT_TRANSLATE_NOOP("longpole",
                                "Tasks without a known sender, of all, and paths over repaired messages; of MPI sends, "
                                "receives and collective calls without a partner."),
              QT_TRANSLATE_NOOP("longpole", "Passes up to 2 % (MPI: none), doubtful up to 20 % (MPI: 5 %)."), noVerdict,
              allVerdicts},
    CheckSpec{CheckId::ReceiveTimes, "receive_times", QT_TRANSLATE_NOOP("longpole", "Arrival times"),
              QT_TRANSLATE_NOOP("longpole", "Arrival times of messages that are estimated, of all."),
              QT_TRANSLATE_NOOP("longpole", "Passes if none is."), noVerdict, ofArrivals},
};

bool holds(std::span<const std::string_view> list, const QString& verdict)
{
    return std::any_of(list.begin(), list.end(), [&verdict](std::string_view one) {
        return verdict == QLatin1String(one.data(), static_cast<qsizetype>(one.size()));
    });
}

}  // namespace

std::span<const CheckSpec> checkSpecs() { return checkList; }
std::span<const std::string_view> verdictsOfWaits() { return waitsAndCalls; }
std::span<const std::string_view> verdictsOfAllRanks() { return ofAllRanks; }

const CheckSpec& specOf(CheckId check)
{
    return *std::find_if(checkList.begin(), checkList.end(),
                         [check](const CheckSpec& spec) { return spec.id == check; });
}

std::span<const std::string_view> checkedVerdicts() { return allVerdicts; }

CheckEffect effectOf(CheckId check, const QString& verdict)
{
    const CheckSpec& spec = specOf(check);
    return holds(spec.withdraws, verdict) ? CheckEffect::Withdraws
           : holds(spec.weakens, verdict) ? CheckEffect::Weakens
                                          : CheckEffect::None;
}

CheckEffect effectOf(const Check& check, const QString& verdict)
{
    const CheckEffect effect = check.isInDoubt() ? effectOf(check.id, verdict) : CheckEffect::None;
    if (check.level == CheckLevel::Failed && holds(check.withdraws, verdict)) return CheckEffect::Withdraws;
    return effect == CheckEffect::Withdraws && check.level != CheckLevel::Failed ? CheckEffect::Weakens : effect;
}

const Check* withdrawing(std::span<const Check> checks, const QString& verdict)
{
    const auto found = std::find_if(checks.begin(), checks.end(), [&verdict](const Check& check) {
        return effectOf(check, verdict) == CheckEffect::Withdraws;
    });
    return found == checks.end() ? nullptr : &*found;
}

QString firstWords(std::span<const Check> checks)
{
    QStringList said;
    for (const Check& check : checks)
        if (check.isInDoubt() && check.id == CheckId::ProcessorTime) said << check.says;
    return said.join(QLatin1Char(' '));
}

QString failedForAll(std::span<const Check> checks)
{
    QStringList titles;
    for (const Check& check : checks)
        if (check.level == CheckLevel::Failed && specOf(check.id).weakens.size() == allVerdicts.size())
            titles << QCoreApplication::translate("longpole", specOf(check.id).title);
    return titles.join(QStringLiteral(", "));
}

}  // namespace longpole
