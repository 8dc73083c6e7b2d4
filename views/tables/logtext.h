// SPDX-License-Identifier: GPL-3.0-or-later
// The text of each column of a record, as the log shows, copies and exports it.
#pragma once

#include "analysis/statistics/recordfields.h"
#include "core/trace/vocabulary.h"

#include <QByteArray>
#include <QString>

#include <array>
#include <span>

namespace longpole {

enum class LogColumn : std::uint8_t { Time, Pe, Kind, Name, Object, Duration, Bytes, Peer, Text };
inline constexpr std::array logColumns = {LogColumn::Time,  LogColumn::Pe,     LogColumn::Kind,
                                          LogColumn::Name,  LogColumn::Object, LogColumn::Duration,
                                          LogColumn::Bytes, LogColumn::Peer,   LogColumn::Text};

QString logTitle(Vocabulary words, LogColumn column);
bool isFigure(LogColumn column);  // figures are right-aligned
// "task", "message", "idle", "pack" ...
QString kindText(Vocabulary words, const Record& record);
QString kindName(ChunkKind kind);  // "Tasks": names the switch of a kind
constexpr qsizetype allLetters = -1;
// Empty if records of this kind have no such column. At most `letters` of what a note says.
QString logText(const TraceStore& store, const Record& record, LogColumn column, qsizetype letters = allLetters);
// CSV with headings; times are nanoseconds since the run's begin, sizes bytes.
QByteArray logCsv(const TraceStore& store, std::span<const Record> records);
// Tab-separated, as shown.
QString logRows(const TraceStore& store, std::span<const Record> records);

}  // namespace longpole
