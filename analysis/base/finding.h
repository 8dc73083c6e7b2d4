// SPDX-License-Identifier: GPL-3.0-or-later
// What an analysis found, as data: sentences, tables and pictures, which each kind of report renders in its own way.
#pragma once

#include "analysis/base/table.h"
#include "core/base/ids.h"
#include "core/base/timerange.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <vector>

namespace longpole {

enum class FigureKind : std::uint8_t { Timeline, UtilizationOverTime, UtilizationPerProcessor };

struct FindingFigure {
    FigureKind kind = FigureKind::Timeline;
    QString caption;
    TimeRange range;
    std::vector<ProcessorId> pes;  // empty: all
    bool withPath = false;
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
    QString sql;  // a query that shows it; may be empty
};

struct Finding {
    QString id;  // stable, e.g. "health"
    QString title;
    QStringList paragraphs;
    std::vector<FindingItem> items;
    std::vector<TableData> tables;
    std::vector<FindingFigure> figures;
    QString notEvaluated;  // why nothing could be judged; empty if something was
    JsonValue json;        // the same result for programs
};

}  // namespace longpole
