// SPDX-License-Identifier: GPL-3.0-or-later
// Priorities by entry method for a program to read, as Charm++'s own autoprioritization finds them (Dooley, Arya, Kale
// 2010, section 7.1; docs/algorithms.md 4): JSON, a C header, or CSV.
#pragma once

#include "analysis/replay/replay.h"
#include "analysis/scheduling/schedulingadvice.h"
#include "core/base/result.h"
#include "core/base/timerange.h"
#include "core/store/tracestore.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <span>
#include <vector>

namespace longpole {

struct PriorityList {
    struct Row {
        EntryId entry = noEntry;
        QString name{};  // "Worker::chain_hop(int it, int hop)"
        std::int32_t priority = highPriority;
        std::int64_t count = 0;  // executions on the path
        EntryClass entryClass = EntryClass::Good;
    };
    QString source{};    // fingerprint of the trace
    TimeRange window{};  // in the trace's clock
    std::int32_t high = highPriority, low = lowPriority;
    std::vector<Row> rows{};  // by entry; what is not named has `low`
};

enum class ListedEntries : std::uint8_t {
    Advised,   // those that advice wants to prefer: predicted to gain
    OnThePath  // all, as the run-time system does
};

PriorityList priorityList(const TraceStore& store, const SchedulingAnalysis& analysis, ListedEntries which);

// {"format":"charm-autoprio","version":1,"source","window":[a,b],"high","low","entries":[{"ep","name","prio","count",
// "class"}],"default"}; classes in capitals.
QByteArray toJson(const PriorityList& list);
QByteArray toHeader(const PriorityList& list);  // C99 and C++: an array that ends with ep -1, and a function
QByteArray toCsv(const PriorityList& list);     // ep,name,prio,count,class

// Priorities as such a list, or a user, names them.
struct NamedPriority {
    std::uint32_t number = 0;  // of the entry method where the list was written
    QString name{};
    std::int32_t priority = 0;
    friend bool operator==(const NamedPriority&, const NamedPriority&) = default;
};
// What toJson or toCsv wrote, whichever it is. Errors: it is neither, of a later version, or cut; a row without a name
// or with a priority that is no number of 32 bits.
Result<std::vector<NamedPriority>> readPriorities(const QByteArray& text, const QString& fileName);

// Those of a trace's entry methods, by name without blanks: numbers change with every build, and only choose among
// equal names. Where several rows name one entry method the last one counts.
struct FoundPriorities {
    QueuePriorities priorities{};
    QStringList missing{};  // names that the trace does not have
};
FoundPriorities findPriorities(const TraceStore& store, std::span<const NamedPriority> named);

// As the ending says: .json, .h or .csv. Error: another one.
Result<QByteArray> priorityFile(const PriorityList& list, const QString& fileName);

}  // namespace longpole
