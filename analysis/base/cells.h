// SPDX-License-Identifier: GPL-3.0-or-later
// The cells of tables: their values, and how these are written for people, spreadsheets and programs.
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
    Number,  // names one thing: a PE, a call
    Share,   // 0..1, shown as a percentage
    Ratio,   // of two sums
    Bytes,
    Flag,   // yes or no
    Entry,  // an EntryId; programs get id, name and chare
    Code,   // an EntryId, or the RegionId of an MPI call, which share one numbering; CSV has its name only
    Rows,   // TableData or a list, for programs only
};

// A raw value, by which rows are sorted and which is exported; invalid for an empty cell.
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

// Empty where the text is.
Cell textOrNone(const QString& text);

// A value with a text of its own for people, "+12.3 ms" for instance, instead of that of the column's kind.
Cell readAs(const Cell& value, const QString& text);
// The cell without such a text.
QVariant rawValue(const QVariant& cell);

// The text for people, on one line: "12.3 ms", "1 024", "42.1 %", an entry method's name; "" for an empty cell, but "-"
// for an empty ratio. `store` names entries and gives the begin of the run; without it instants are not made relative.
QString cellText(const QVariant& cell, CellKind kind, const TraceStore* store);
// The raw value in decimal digits, byte arrays as x'0f'.
QString plainText(const QVariant& cell);
bool isRightAligned(CellKind kind);

// The name of the entry or region with that id, "code 17" if it has none, "" for noEntry.
QString nameOfCode(const TraceStore& store, EntryId code);
// The same within a sentence: "solve", "the code from MPI_Send to MPI_Recv", in which a rank is not in MPI.
QString codeInWords(const TraceStore& store, EntryId code);

// Makes blanks of control characters, so that a row stays on one line and no name of a trace can control the terminal.
QString onOneLine(QString text);
// The text as a CSV field, quoted if it must be (RFC 4180).
QString csvField(const QString& text);
// Lines of CSV whose cells a spreadsheet takes for text, also one that parts them at semicolons or tabs: what begins
// like a formula (= + - @, of full width, too, a tab, a carriage return) and is no number gets an apostrophe before it.
QByteArray safeCsv(const QByteArray& csv);
// Markdown in which addresses are not made links of and @names are nobody's.
QString withoutAutolinks(QString markdown);

// What readAs() makes.
struct WordedCell {
    QVariant value;
    QString text;
};

}  // namespace longpole

Q_DECLARE_METATYPE(longpole::WordedCell)
