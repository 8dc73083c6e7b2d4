// SPDX-License-Identifier: GPL-3.0-or-later
// The tasks that a report's sentences and tables name by their id, so that they can be links into the program.
#pragma once

#include "analysis/base/table.h"
#include "core/base/ids.h"
#include "core/store/tracestore.h"

#include <QString>
#include <QVariant>

#include <optional>
#include <vector>

namespace longpole {

struct TaskMention {
    qsizetype at = 0;  // where the id begins
    qsizetype length = 0;
    TaskId task;
    friend bool operator==(const TaskMention&, const TaskMention&) = default;
};

// The ids behind the word: "Look at task 3:1207", "tasks 0:5, 1:7 and 2:9". In the order of the text. O(letters).
std::vector<TaskMention> taskMentions(const QString& text);

// The task that a cell names in a column of tasks, whose cells have nothing but the id.
std::optional<TaskId> taskOfCell(const QVariant& cell, const Column& column);

struct TextLink {
    qsizetype at = 0;
    qsizetype length = 0;
    QString address;  // "longpole:/runs/wave2d.longpole?task=3:1207"
};

// Where the tasks lead that a report names. Nowhere if it is not known where its trace lies.
class TaskLinks {
public:
    TaskLinks() = default;
    TaskLinks(const TraceStore& store, QString trace);  // the store must outlive it
    std::vector<TextLink> in(const QString& text) const;
    QString ofCell(const QVariant& cell, const Column& column) const;  // empty: it names no task

private:
    QString address(TaskId task) const;

    const TraceStore* m_store = nullptr;
    QString m_trace;
};

}  // namespace longpole
