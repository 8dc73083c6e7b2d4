// SPDX-License-Identifier: GPL-3.0-or-later
// What an analysis found, as data: sentences, tables and pictures, which each kind of report renders in its own way.
#pragma once

#include "analysis/base/jsontext.h"
#include "analysis/base/table.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <QString>
#include <QStringList>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>
#include <vector>

namespace longpole {

struct CriticalPath;

enum class FigureKind : std::uint8_t { Timeline, UtilizationOverTime, UtilizationPerProcessor };

struct FindingFigure {
    FigureKind kind = FigureKind::Timeline;
    QString caption;
    TimeRange range;
    std::vector<ProcessorId> pes;                // empty: all
    TimeRange marked{};                          // of it; empty: nothing
    bool withPath = false;                       // the scheduled path, or what follows
    std::shared_ptr<const CriticalPath> path{};  // another one that is marked
    QString link{};                              // opens the program at what it shows; empty: none
};

// One of several things that a finding lists under headings of their own: a piece of advice, a cause.
struct FindingItem {
    struct Fact {
        QString name, value;  // "Predicted gain", "21 to 37 %"
    };
    QString title;
    std::vector<Fact> facts;  // beside each other, the most important first
    QStringList paragraphs;
    QStringList points;  // where it can be seen, one line each
    std::vector<FindingFigure> figures;
    QString sql;  // a query that shows it, which reports write in their appendix; may be empty
};

// What a finding says for those who want to check it: thresholds, tables, and what nobody needs to act.
struct FindingAppendix {
    QStringList paragraphs{};
    std::vector<TableData> tables{};
    std::vector<FindingFigure> figures{};
};

// A value, or for a result that may be long how to write it: in memory, a result as JSON takes ten times what the
// result itself does.
using FindingJson = std::variant<JsonValue, std::function<void(JsonText&)>>;

struct Finding {
    QString id;  // stable, e.g. "health"
    QString title;
    QStringList paragraphs;
    std::vector<FindingItem> items;
    std::vector<TableData> tables;
    std::vector<FindingFigure> figures;
    FindingAppendix appendix;
    QString notEvaluated;  // why nothing could be judged; empty if something was
    FindingJson json;      // the same result for programs

    void writeResult(JsonText& text) const
    {
        if (const auto* write = std::get_if<std::function<void(JsonText&)>>(&json)) (*write)(text);
        else text.value(std::get<JsonValue>(json));
    }

    // Whether a report has something to write of it before its appendix, and there.
    bool hasMain() const { return !paragraphs.isEmpty() || !items.empty() || !tables.empty() || !figures.empty(); }
    bool hasAppendix() const
    {
        return !notEvaluated.isEmpty() || !appendix.paragraphs.isEmpty() || !appendix.tables.empty()
               || !appendix.figures.empty()
               || std::any_of(items.begin(), items.end(), [](const FindingItem& item) { return !item.sql.isEmpty(); });
    }
    // Says all of it in the appendix, behind what is there.
    void moveToAppendix()
    {
        appendix.paragraphs = paragraphs + appendix.paragraphs;
        appendix.tables.insert(appendix.tables.begin(), tables.begin(), tables.end());
        appendix.figures.insert(appendix.figures.begin(), figures.begin(), figures.end());
        paragraphs.clear();
        tables.clear();
        figures.clear();
    }
};

}  // namespace longpole
