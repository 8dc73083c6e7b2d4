// Soft errors of an import: counted per kind, with the first place of each. Merging logs in a fixed order gives the same
// result whatever thread counted.
#pragma once

#include "core/issues.h"
#include "core/trace.h"

#include <QString>

#include <array>
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
        Counter& counter = m_counters[static_cast<std::size_t>(kind)];
        if (counter.count == 0) counter.line = line;
        counter.count += count;
    }
    // A soft error at a place that is not this file.
    void addAt(IssueKind kind, const QString& place, std::int64_t count = 1);

    // Adds the other's counts; places already known win.
    void merge(const ImportLog& later);

    std::int64_t count(IssueKind kind) const { return m_counters[static_cast<std::size_t>(kind)].count; }
    // One issue per kind that occurred, in the order of the enum.
    std::vector<Issue> issues() const;

private:
    struct Counter {
        std::int64_t count = 0;
        std::int64_t line = 0;
        QString place;  // when not in m_file
    };
    QString placeOf(const Counter& counter) const;

    QString m_file;
    std::array<Counter, issueKinds> m_counters;
};

}  // namespace longpole
