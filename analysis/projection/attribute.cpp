// SPDX-License-Identifier: GPL-3.0-or-later
// The list of attributes, and their values from measures.
#include "analysis/projection/attribute.h"

#include "analysis/projection/formula.h"
#include "core/base/translate.h"
#include "core/trace/format.h"

#include <algorithm>
#include <cmath>

namespace longpole {

namespace {

using Q = StageQuantity;
using In = AttributeUnit;
using Group = AttributeGroup;

#define TEXT(text) QT_TRANSLATE_NOOP("Attributes", text)

constexpr std::optional<StageQuantity> notDivided{};

// clang-format off
constexpr AttributeSpec specs[] = {
    {"utilization", TEXT("Utilization"), {TEXT("Share of the time that is spent in entry methods"), TEXT("Share of the time that is spent in regions")}, Group::Time,
     In::Share, Q::User, Q::Length, RestrictedTo::Code, false},
    {"user", TEXT("Busy time"), {TEXT("Time in entry methods; goes to the innermost task"), TEXT("Time in regions; goes to the innermost task")}, Group::Time,
     In::Time, Q::User, notDivided, RestrictedTo::Code, false},
    {"idle", TEXT("Idle time"), {TEXT("Time that a PE waits for messages"), TEXT("Time that a rank waits for others")}, Group::Time, In::Time, Q::Idle,
     notDivided, RestrictedTo::Nothing, false},
    {overheadId, TEXT("Overhead"), {TEXT("All other time: scheduler, packing, flushing, untraced"), TEXT("All other time: in MPI beside waiting, or untraced")}, Group::Time,
     In::Time, Q::Length, notDivided, RestrictedTo::Nothing, false},
    {"pack", TEXT("Pack time"), {TEXT("Packing and unpacking outside entry methods; part of overhead, or of idling it falls into"), TEXT("Packing and unpacking outside regions; part of overhead, or of idling it falls into")}, Group::Time,
     In::Time, Q::Pack, notDivided, RestrictedTo::Nothing, false},
    {"flush", TEXT("Flush time"), TEXT("Writing the log itself; part of overhead, or of idling it falls into"), Group::Time, In::Time, Q::Flush,
     notDivided, RestrictedTo::Nothing, false},
    {"untraced", TEXT("Untraced time"), TEXT("Tracing was switched off; part of overhead, or of idling it falls into"), Group::Time, In::Time,
     Q::Untraced, notDivided, RestrictedTo::Nothing, false},
    {"critical_path", TEXT("Time on the critical path"), TEXT("Time of the critical path that is shown"), Group::Path,
     In::Time, Q::CriticalPath, notDivided, RestrictedTo::Code, false},
    {"tasks", TEXT("Tasks"), TEXT("Tasks begun"), Group::Tasks, In::Count, Q::Tasks, notDivided, RestrictedTo::Code, false},
    {"grain_mean", TEXT("Mean grain size"), TEXT("Exclusive time per task begun"), Group::Tasks, In::Time,
     Q::TaskTime, Q::Tasks, RestrictedTo::Code, false},
    {"grain_max", TEXT("Largest grain size"), TEXT("Longest exclusive time of a task begun"), Group::Tasks,
     In::Time, Q::LongestTask, notDivided, RestrictedTo::Code, false},
    {"tasks_created", TEXT("Tasks created"), {TEXT("Tasks that the messages created start; a broadcast starts many"), TEXT("Receipts of the messages sent")},
     Group::Tasks, In::Count, Q::TasksCreated, notDivided, RestrictedTo::Code, false},
    {"messages_created", TEXT("Messages created"), {TEXT("Creations; a broadcast is one"), TEXT("Messages sent")}, Group::Messages,
     In::Count, Q::Created, notDivided, RestrictedTo::Code, false},
    {"messages_processed", TEXT("Deliveries"), {TEXT("Tasks that messages of known creation started; a broadcast starts many"), TEXT("Messages received")}, Group::Messages,
     In::Count, Q::Processed, notDivided, RestrictedTo::Code, false},
    {"bytes_sent", TEXT("Bytes sent"), {TEXT("Of the messages created; a broadcast counts once"), TEXT("Of the messages sent")}, Group::Messages,
     In::Bytes, Q::CreatedBytes, notDivided, RestrictedTo::Code, false},
    {"bytes_received", TEXT("Bytes delivered"), TEXT("Of the messages of these deliveries"), Group::Messages, In::Bytes,
     Q::ReceivedBytes, notDivided, RestrictedTo::Code, false},
    {"message_size", TEXT("Mean message size"), {TEXT("Bytes per message created"), TEXT("Bytes per message sent")}, Group::Messages, In::Bytes,
     Q::CreatedBytes, Q::Created, RestrictedTo::Code, false},
    {"messages_sent_in_node", TEXT("Deliveries from here in the node"),
     TEXT("Deliveries, on the creator's node, of messages created here"), Group::Messages, In::Count, Q::SentInNode,
     notDivided, RestrictedTo::Code, false},
    {"bytes_sent_in_node", TEXT("Bytes delivered from here in the node"), TEXT("Their bytes"), Group::Messages, In::Bytes,
     Q::SentBytesInNode, notDivided, RestrictedTo::Code, false},
    {"messages_received_in_node", TEXT("Deliveries in the node"),
     TEXT("Deliveries of messages whose creator is on the same node"), Group::Messages, In::Count, Q::ReceivedInNode,
     notDivided, RestrictedTo::Code, false},
    {"bytes_received_in_node", TEXT("Bytes delivered in the node"), TEXT("Their bytes"), Group::Messages, In::Bytes,
     Q::ReceivedBytesInNode, notDivided, RestrictedTo::Code, false},
    {"latency", TEXT("Message latency"), {TEXT("Mean time from a message's creation to the start of its task; tasks before it are left out"), TEXT("Mean time from a message's sending to its receipt; receipts before it are left out")}, Group::Messages,
     In::Time, Q::Latency, Q::Latencies, RestrictedTo::Code, false},
    {"queue_length", TEXT("Ready-queue length"), TEXT("Messages received and not yet begun, on average"),
     Group::Messages, In::Number, Q::Waiting, Q::Length, RestrictedTo::Code, true},
    {"queue_wait", TEXT("Queue wait"), TEXT("Mean time from a message's receipt to the start of its task"), Group::Messages,
     In::Time, Q::QueueWait, Q::QueueWaits, RestrictedTo::Code, true},
    {"mpi_time", TEXT("Time in MPI"), TEXT("Time in MPI calls, waiting included; threads of a rank add up"), Group::Mpi,
     In::Time, Q::MpiTime, notDivided, RestrictedTo::Call, false},
    {"waited", TEXT("Time waited"), TEXT("Time in MPI's wait states: what ranks and their threads waited for others"),
     Group::Mpi, In::Time, Q::Waited, notDivided, RestrictedTo::WaitState, false},
    {"mpi_calls", TEXT("MPI calls"), TEXT("MPI calls begun"), Group::Mpi, In::Count, Q::MpiCalls, notDivided,
     RestrictedTo::Call, false},
    {"mpi_bytes_sent", TEXT("Bytes sent in MPI calls"),
     TEXT("What messages, collective and one-sided calls send to others, and what is written to files"), Group::Mpi,
     In::Bytes, Q::MpiSent, notDivided, RestrictedTo::Call, false},
    {"mpi_bytes_received", TEXT("Bytes received in MPI calls"),
     TEXT("What messages, collective and one-sided calls receive from others, and what is read from files"), Group::Mpi,
     In::Bytes, Q::MpiReceived, notDivided, RestrictedTo::Call, false},
    {"collective_bytes_sent", TEXT("Bytes sent in collective calls"),
     TEXT("What collective calls send to other ranks, by what they mean"), Group::Mpi, In::Bytes, Q::CollectiveSent,
     notDivided, RestrictedTo::Call, false},
    {"collective_bytes_received", TEXT("Bytes received in collective calls"),
     TEXT("What collective calls receive from other ranks, by what they mean"), Group::Mpi, In::Bytes,
     Q::CollectiveReceived, notDivided, RestrictedTo::Call, false},
    {"memory", TEXT("Memory"), TEXT("Memory in use: the largest sample, else the last one before"), Group::Memory,
     In::Bytes, Q::Memory, notDivided, RestrictedTo::Nothing, false},
    {"event_time", TEXT("Time in a user event"), TEXT("Brackets; nested ones count again"), Group::Events, In::Time,
     Q::EventTime, notDivided, RestrictedTo::Region, false},
    {"events", TEXT("User events"), TEXT("User events begun or marked"), Group::Events, In::Count, Q::Events,
     notDivided, RestrictedTo::Region, false},
    {"stat", TEXT("Statistic"), TEXT("Mean of a statistic's or counter's samples"), Group::Statistics, In::Number,
     Q::SampleSum, Q::Samples, RestrictedTo::Region, false},
    {"stat_sum", TEXT("Statistic, summed"), TEXT("Sum of a statistic's or counter's samples"), Group::Statistics,
     In::Number, Q::SampleSum, notDivided, RestrictedTo::Region, false},
    {"stat_max", TEXT("Statistic, largest"), TEXT("Largest sample of a statistic or counter"), Group::Statistics,
     In::Number, Q::LargestSample, notDivided, RestrictedTo::Region, false},
    {"samples", TEXT("Samples"), TEXT("Samples of a statistic or counter"), Group::Statistics, In::Count,
     Q::Samples, notDivided, RestrictedTo::Region, false},
};
// clang-format on

#undef TEXT

bool isOverhead(const Attribute& attribute)
{
    return attribute.spec && QLatin1String(attribute.spec->id) == QLatin1String(overheadId);
}

}  // namespace

std::span<const AttributeSpec> attributeSpecs() { return specs; }

bool operator==(const Attribute& a, const Attribute& b)
{
    if (a.formula && b.formula) return a.formula->text() == b.formula->text();
    return !a.formula && !b.formula && a.spec == b.spec && a.subject == b.subject;
}

bool Attribute::isAdditive() const { return spec && !spec->bottom && !isMaximum(spec->top) && !isReal(spec->top); }

AttributeUnit Attribute::unit() const { return spec ? spec->unit : AttributeUnit::Number; }

const char* unitName(AttributeUnit unit)
{
    switch (unit) {
    case AttributeUnit::Time: return "ns";
    case AttributeUnit::Share: return "share";
    case AttributeUnit::Count: return "count";
    case AttributeUnit::Bytes: return "bytes";
    case AttributeUnit::Number: break;
    }
    return "number";
}

QString attributeText(double value, AttributeUnit unit)
{
    if (!std::isfinite(value)) return QStringLiteral("–");
    switch (unit) {
    case AttributeUnit::Time: return formatTime(std::llround(value));
    case AttributeUnit::Share: return formatShare(value);
    case AttributeUnit::Count: return formatCount(std::llround(value));
    case AttributeUnit::Bytes: return formatBytes(std::llround(value));
    case AttributeUnit::Number: break;
    }
    return QString::number(value, 'g', 5);
}

std::vector<Measure> measuresOf(const Attribute& attribute)
{
    if (attribute.formula) {
        std::vector<Measure> all;
        for (const Attribute& variable : attribute.formula->variables())
            for (const Measure& measure : measuresOf(variable)) all.push_back(measure);
        return all;
    }
    if (isOverhead(attribute)) return {{Q::Length, {}}, {Q::User, {}}, {Q::Idle, {}}};
    std::vector<Measure> measures{{attribute.spec->top, attribute.subject}};
    const std::optional<StageQuantity> bottom = attribute.spec->bottom;
    if (bottom) measures.push_back({*bottom, *bottom == Q::Length ? Subject{} : attribute.subject});
    return measures;
}

double valueOf(const Attribute& attribute, std::span<const double> measures)
{
    if (attribute.formula) {
        std::vector<double> values;
        std::size_t first = 0;
        for (const Attribute& variable : attribute.formula->variables()) {
            const std::size_t count = measuresOf(variable).size();
            values.push_back(valueOf(variable, measures.subspan(first, count)));
            first += count;
        }
        return attribute.formula->evaluate(values);
    }
    if (isOverhead(attribute)) return measures[0] - measures[1] - measures[2];
    if (!attribute.spec->bottom) return measures[0];
    return measures[1] > 0 ? measures[0] / measures[1] : undefinedValue;
}

}  // namespace longpole
