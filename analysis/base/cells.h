// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in a cell of a table, and how people, spreadsheets and programs read it.
#pragma once

#include "core/base/ids.h"
#include "core/store/tracestore.h"
#include "core/trace/format.h"

#include <QString>
#include <QVariant>

#include <concepts>
#include <cstdint>
#include <optional>

namespace longpole {

enum class CellKind : std::uint8_t {
    Text,
    Time,     // ns, a duration
    Instant,  // ns in the trace's clock; people read it from the begin of the run
    Count,
    Number,  // of a thing, not of many: a PE, a call
    Share,   // 0..1, read as per cent
    Ratio,   // of two sums
    Bytes,
    Flag,   // yes or no
    Entry,  // an EntryId: id, name and chare for programs
    Code,   // an EntryId that may be a RegionId, which shares its numbering: an MPI call; CSV has its name only
    Rows,   // TableData, or a list: for programs only
};

// A raw value: what sorts and is exported. Invalid where there is nothing to say.
class Cell : public QVariant {
public:
    Cell() = default;
    Cell(QVariant value) : QVariant(std::move(value)) {}
    Cell(const QString& text) : QVariant(text) {}
    Cell(const char* ascii) : QVariant(QString::fromLatin1(ascii)) {}  // a word of JSON
    Cell(bool value) : QVariant(value) {}
    Cell(double value) : QVariant(value) {}
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) Cell(Integer value) : QVariant(static_cast<qlonglong>(value)) {}
    Cell(EntryId entry) : QVariant(entry == noEntry ? QVariant() : QVariant(static_cast<qlonglong>(index(entry)))) {}
    Cell(ProcessorId pe) : QVariant(static_cast<qlonglong>(index(pe))) {}
    Cell(TaskId task) : QVariant(task.isValid() ? QVariant(toText(task)) : QVariant()) {}
    Cell(RegionId region) : QVariant(static_cast<qlonglong>(index(region))) {}
    template <typename Value>
    Cell(const std::optional<Value>& value) : QVariant(value ? QVariant(Cell(*value)) : QVariant())
    {
    }
};

// A value that reads otherwise than its column's kind does: "+12.3 ms", or the figure of a row that has its own unit.
Cell readAs(const Cell& value, const QString& text);
// Without what it reads as.
QVariant rawValue(const QVariant& cell);

// "12.3 ms", "1 024", "42.1 %", an entry method's name, on one line; nothing for an empty cell, but "-" for a ratio.
// `store` names entries and gives the begin of the run; where it is null, instants are read as they are.
QString cellText(const QVariant& cell, CellKind kind, const TraceStore* store);
// The raw value in decimal digits, byte arrays as x'0f'.
QString plainText(const QVariant& cell);
bool isRightAligned(CellKind kind);

// The entry or region with that id: its name, "code 17" without one, nothing for noEntry.
QString nameOfCode(const TraceStore& store, EntryId code);

// Control characters become blanks: one line per row, and no name or path commands the terminal.
QString onOneLine(QString text);
// Quoted where it has to be (RFC 4180).
QString csvField(const QString& text);

// What readAs() makes.
struct WordedCell {
    QVariant value;
    QString text;
};

}  // namespace longpole

Q_DECLARE_METATYPE(longpole::WordedCell)
