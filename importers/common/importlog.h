// SPDX-License-Identifier: GPL-3.0-or-later
// Soft errors of an import: counted per kind, with the first place of each. Merging logs in a fixed order gives the
// same result whatever thread counted.
#pragma once

#include "core/trace/issues.h"
#include "core/trace/trace.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace longpole {

class ImportLog {
public:
    // `file` is what places of this log start with: a file's name.
    explicit ImportLog(QString file = {}) : m_file(std::move(file)) {}

    // A soft error in line (text) or record (binary) `line` of the file; 0: the file as a whole.
    void add(IssueKind kind, std::int64_t line = 0, std::int64_t count = 1)
    {
        Counter& counter = counterOf(kind);
        if (counter.count == 0) counter.line = line;
        counter.count += count;
    }
    // A soft error at a place that is not this file.
    void addAt(IssueKind kind, const QString& place, std::int64_t count = 1);

    // Adds the other's counts; places already known win.
    void merge(const ImportLog& later);

    std::int64_t count(IssueKind kind) const;
    // One issue per kind that occurred, in the order of the enum.
    std::vector<Issue> issues() const;

private:
    struct Counter {
        IssueKind kind{};
        std::int64_t count = 0;
        std::int64_t line = 0;
        QString place;  // when not in m_file
    };
    Counter& counterOf(IssueKind kind)
    {
        for (Counter& counter : m_counters) {
            if (counter.kind == kind) return counter;
        }
        return m_counters.emplace_back(Counter{kind, 0, 0, {}});
    }
    QString placeOf(const Counter& counter) const;

    QString m_file;
    std::vector<Counter> m_counters;  // of kinds that occurred, few: a run has a log per processor, which may be 65 536
};

}  // namespace longpole
