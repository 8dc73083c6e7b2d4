// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/projections/stswriter.h"

#include <QList>

#include <algorithm>
#include <iterator>

namespace longpole {
namespace {

QByteArray number(std::int64_t value) { return QByteArray::number(qlonglong{value}); }

bool startsWith(const QByteArray& line, const char* keyword)
{
    const QByteArray trimmed = line.trimmed();
    return trimmed == keyword || trimmed.startsWith(QByteArray(keyword).append(' '));
}

// The last line that starts with the keyword; -1: none.
qsizetype lastLine(const QList<QByteArray>& lines, const char* keyword)
{
    for (qsizetype i = lines.size() - 1; i >= 0; --i) {
        if (startsWith(lines[i], keyword)) return i;
    }
    return -1;
}

// Where a new EVENT line goes: behind the others, else before the statistics or the end.
qsizetype placeOfEvent(const QList<QByteArray>& lines)
{
    const qsizetype last = lastLine(lines, "EVENT");
    if (last >= 0) return last + 1;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (startsWith(lines[i], "STAT") || startsWith(lines[i], "END")) return i;
    }
    return lines.size() - (lines.back().isEmpty() ? 1 : 0);
}

// Programs that read the file reserve as many names as TOTAL_EVENTS says.
void setTotal(QList<QByteArray>& lines)
{
    const auto events = std::count_if(lines.begin(), lines.end(),
                                      [](const QByteArray& line) { return startsWith(line, "EVENT"); });
    const qsizetype total = lastLine(lines, "TOTAL_EVENTS");
    if (total < 0) {
        const qsizetype place = lastLine(lines, "TOTAL_EPS");
        if (place >= 0) lines.insert(place + 1, "TOTAL_EVENTS " + number(events));
        return;
    }
    const std::int64_t said = lines[total].trimmed().mid(13).trimmed().toLongLong();
    const QByteArray end = lines[total].endsWith('\r') ? "\r" : "";
    lines[total] = "TOTAL_EVENTS " + number(std::max<std::int64_t>(said + 1, events)) + end;
}

QByteArray quotedIf(bool isQuoted, const QString& name) { return isQuoted ? '"' + name.toUtf8() + '"' : name.toUtf8(); }

}  // namespace

SymbolsWithEvent withUserEvent(const QByteArray& text, std::uint32_t id, const QString& name)
{
    ImportLog ignored;
    const std::map<std::uint32_t, QString> events = parseSymbols(text, ignored).events;
    auto event = events.find(id);
    while (event != events.end() && event->second != name) event = events.find(++id);
    if (event != events.end()) return {text, id, true};

    QList<QByteArray> lines = text.split('\n');
    const QByteArray end = lines.front().endsWith('\r') ? "\r" : "";
    lines.insert(placeOfEvent(lines), "EVENT " + number(id) + ' ' + name.toUtf8() + end);
    setTotal(lines);
    return {lines.join('\n'), id, false};
}

QByteArray symbolLines(const QByteArray& text)
{
    constexpr const char* keywords[] = {"PROJECTIONS_ID", "VERSION",     "MACHINE",      "PROCESSORS", "SMPMODE",
                                        "TIMESTAMP",      "COMMANDLINE", "CHARMVERSION", "USERNAME",   "HOSTNAME",
                                        "CHARE",          "ENTRY",       "MESSAGE",      "PSEUDO",     "EVENT",
                                        "STAT",           "FUNCTION",    "PAPI_EVENT",   "END"};
    QList<QByteArray> lines = text.split('\n');
    lines.removeIf([&](const QByteArray& line) {
        const QByteArray trimmed = line.trimmed();
        return !trimmed.isEmpty() && !trimmed.startsWith("TOTAL_")
               && std::none_of(std::begin(keywords), std::end(keywords),
                               [&](const char* keyword) { return startsWith(line, keyword); });
    });
    return lines.join('\n');
}

QByteArray symbolsText(const ProjectionsSymbols& symbols)
{
    const bool isQuoted = symbols.versionNumber >= 10.0;
    const bool hasDimensions = symbols.versionNumber >= 9.0;
    QByteArray text = "PROJECTIONS_ID \nVERSION " + symbols.version.toUtf8() + "\nTOTAL_PHASES 0\n";
    if (symbols.papiCounters > 0) text += "TOTAL_PAPI_EVENTS " + number(symbols.papiCounters) + '\n';
    for (const auto& [id, name] : symbols.counters) text += "PAPI_EVENT " + number(id) + ' ' + name.toUtf8() + '\n';
    if (!symbols.machine.isEmpty()) text += "MACHINE " + quotedIf(isQuoted, symbols.machine) + '\n';
    text += "PROCESSORS " + number(symbols.processors) + "\nTOTAL_CHARES " + number(std::int64_t(symbols.chares.size()))
            + "\nTOTAL_EPS " + number(std::int64_t(symbols.entries.size()))
            + "\nTOTAL_MSGS 0\nTOTAL_PSEUDOS 0\nTOTAL_EVENTS " + number(std::int64_t(symbols.events.size())) + '\n';
    for (const auto& [id, chare] : symbols.chares) {
        text += "CHARE " + number(id) + ' ' + quotedIf(isQuoted, chare.name);
        if (hasDimensions) text += ' ' + number(chare.dimensions);
        text += '\n';
    }
    for (const auto& [id, entry] : symbols.entries) {
        text += "ENTRY CHARE " + number(id) + ' ' + quotedIf(isQuoted, entry.name) + ' ' + number(entry.chare);
        text += " -1\n";
    }
    text += "TOTAL_STATS " + number(std::int64_t(symbols.statistics.size())) + '\n';
    for (const auto& [id, name] : symbols.events) text += "EVENT " + number(id) + ' ' + name.toUtf8() + '\n';
    for (const auto& [id, name] : symbols.statistics) text += "STAT " + number(id) + ' ' + name.toUtf8() + '\n';
    return text + "END\n";
}

}  // namespace longpole
