// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing .sts: keyword first; quoted names (version 10 on) up to the line's last quote, unquoted ones from the right.
#include "importers/projections/sts.h"

#include "core/base/mayneverend.h"
#include "core/base/translate.h"
#include "importers/common/tonumber.h"

#include <QFile>
#include <QFileInfo>
#include <QList>

#include <array>
#include <string_view>

namespace longpole {
namespace {

constexpr std::uint32_t maxId = 0xffff;             // entries and chares: 16 bits in the log
constexpr std::uint32_t maxNumber = 0xfffffff;      // events, statistics: 28 bits are kept
constexpr std::int64_t largestSymbols = 256 << 20;  // bytes

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
    return text;
}

std::string_view firstWord(std::string_view& text)
{
    text = trimmed(text);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

std::string_view lastWord(std::string_view& text)
{
    text = trimmed(text);
    const std::size_t blank = text.find_last_of(" \t");
    const std::size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
    const std::string_view word = text.substr(begin);
    text = trimmed(text.substr(0, begin));
    return word;
}

QString toName(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString unquoted(std::string_view text)
{
    text = trimmed(text);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    return toName(text);
}

constexpr double newestVersion = 11.0;

class SymbolsParser {
public:
    SymbolsParser(ProjectionsSymbols& symbols, ImportLog& log) : m_symbols(symbols), m_log(log) {}

    void line(std::string_view text)
    {
        ++m_line;
        text = trimmed(text);
        if (text.empty()) return;
        m_symbols.isEmpty = false;
        const std::string_view keyword = firstWord(text);
        if (!value(keyword, text) && !row(keyword, text)) m_log.add(IssueKind::MalformedSymbol, m_line);
    }

private:
    // Keywords with one value; false only when the value cannot be read.
    bool value(std::string_view keyword, std::string_view rest)
    {
        m_known = true;
        if (keyword == "VERSION") return version(rest);
        if (keyword == "PROCESSORS") return processors(rest);
        if (keyword == "SMPMODE") return smpMode(rest);
        if (keyword == "MACHINE") m_symbols.machine = unquoted(rest);
        else if (keyword == "USERNAME") m_symbols.username = unquoted(rest);
        else if (keyword == "HOSTNAME") m_symbols.hostname = unquoted(rest);
        else if (keyword == "COMMANDLINE") m_symbols.commandline = unquoted(rest);
        else if (keyword == "TIMESTAMP") m_symbols.timestamp = unquoted(rest);
        else if (keyword == "CHARMVERSION") m_symbols.charmVersion = unquoted(rest);
        else if (keyword == "END") m_symbols.hasEnd = true;
        else m_known = false;
        return m_known;
    }

    // Table rows. Keywords nobody knows (and the TOTAL_ ones, which nobody needs) are fine.
    bool row(std::string_view keyword, std::string_view rest)
    {
        if (m_known) return false;
        if (keyword == "CHARE") return chare(rest);
        if (keyword == "ENTRY") return entry(rest);
        if (keyword == "EVENT") return numbered(rest, m_symbols.events);
        if (keyword == "STAT") return numbered(rest, m_symbols.statistics);
        if (keyword == "FUNCTION") return numbered(rest, m_symbols.functions);
        if (keyword == "PAPI_EVENT") return numbered(rest, m_symbols.counters);
        if (keyword == "TOTAL_PAPI_EVENTS") return papi(rest);
        return true;
    }

    bool version(std::string_view rest)
    {
        const std::optional<double> number = toNumber<double>(rest);
        if (!number || !(*number > 0 && *number < 1000)) return false;
        m_symbols.version = toName(rest);
        m_symbols.versionNumber = *number;
        if (*number > newestVersion) m_log.add(IssueKind::NewerVersion, m_line);
        return true;
    }
    bool processors(std::string_view rest)
    {
        const std::optional<std::int64_t> number = toNumber<std::int64_t>(rest);
        if (!number || *number < 0) return false;
        m_symbols.processors = *number;
        return true;
    }
    bool smpMode(std::string_view rest)
    {
        const std::optional<std::int64_t> pes = toNumber<std::int64_t>(firstWord(rest));
        const std::optional<std::int64_t> processes = toNumber<std::int64_t>(firstWord(rest));
        constexpr std::int64_t most = 0x7fffffff;
        if (!pes || !processes || *pes < 1 || *processes < 1 || *pes > most || *processes > most) return false;
        m_symbols.pesPerProcess = pes;
        m_symbols.processes = processes;
        return true;
    }
    bool papi(std::string_view rest)
    {
        const std::optional<std::uint32_t> number = toNumber<std::uint32_t>(rest);
        if (!number || *number > mostPapiCounters) return false;
        m_symbols.papiCounters = *number;
        return true;
    }

    bool chare(std::string_view rest)
    {
        const std::optional<std::uint32_t> id = toNumber<std::uint32_t>(firstWord(rest));
        if (!id || *id > maxId) return false;
        ProjectionsSymbols::Chare chare;
        const std::size_t quote = rest.rfind('"');
        const bool isQuoted = !rest.empty() && rest.front() == '"' && quote > 0;
        if (isQuoted || m_symbols.versionNumber >= 9.0) {
            std::string_view tail = isQuoted ? rest.substr(quote + 1) : rest;
            const std::optional<int> dimensions = toNumber<int>(lastWord(tail));
            if (!dimensions || *dimensions < -1 || *dimensions > 6) return false;
            chare.dimensions = *dimensions;
            chare.name = isQuoted ? toName(rest.substr(1, quote - 1)) : toName(trimmed(tail));
        } else {
            chare.name = unquoted(rest);
        }
        m_symbols.chares[*id] = std::move(chare);
        return true;
    }

    bool entry(std::string_view rest)
    {
        firstWord(rest);  // "CHARE"
        const std::optional<std::uint32_t> id = toNumber<std::uint32_t>(firstWord(rest));
        if (!id || *id > maxId) return false;
        const std::size_t quote = rest.rfind('"');
        const bool isQuoted = !rest.empty() && rest.front() == '"' && quote > 0;
        std::string_view tail = isQuoted ? rest.substr(quote + 1) : rest;
        const std::optional<std::int32_t> message = toNumber<std::int32_t>(lastWord(tail));
        const std::optional<std::int32_t> chare = toNumber<std::int32_t>(lastWord(tail));
        if (!message || !chare || *chare < 0) return false;
        const QString name = isQuoted ? toName(rest.substr(1, quote - 1)) : toName(trimmed(tail));
        m_symbols.entries[*id] = {name, *chare};
        return true;
    }

    bool numbered(std::string_view rest, std::map<std::uint32_t, QString>& names)
    {
        const std::optional<std::uint32_t> id = toNumber<std::uint32_t>(firstWord(rest));
        if (!id || *id > maxNumber) return false;
        names[*id] = toName(rest);
        return true;
    }

    ProjectionsSymbols& m_symbols;
    ImportLog& m_log;
    std::int64_t m_line = 0;
    bool m_known = false;
};

}  // namespace

bool ProjectionsSymbols::isAmpi() const
{
    const auto entry = entries.find(0);
    if (entry == entries.end() || !entry->second.name.startsWith(QLatin1String("rank"))) return false;
    const auto chare = chares.find(static_cast<std::uint32_t>(entry->second.chare));
    return chare != chares.end() && chare->second.name == QLatin1String("AMPI");
}

std::optional<int> ProjectionsSymbols::dimensionsOf(std::uint32_t entry) const
{
    const auto found = entries.find(entry);
    if (found == entries.end()) return std::nullopt;
    const auto chare = chares.find(static_cast<std::uint32_t>(found->second.chare));
    if (chare == chares.end()) return std::nullopt;
    return chare->second.dimensions;
}

Result<QByteArray> readSymbolsFile(const QString& path)
{
    if (mayNeverEnd(path) || !QFileInfo(path).isFile()) {
        return Error{.what = tr("The .sts is no ordinary file."), .where = path, .hint = tr("Check its name.")};
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return Error{.what = tr("The .sts file could not be opened: %1.").arg(file.errorString()),
                     .where = path,
                     .hint = tr("Check that you may read it.")};
    }
    if (file.size() > largestSymbols) {
        return Error{.what = tr("The .sts file is larger than any program makes it."),
                     .where = path,
                     .hint = tr("The file was not made by Projections tracing.")};
    }
    return file.read(file.size());
}

ProjectionsSymbols parseSymbols(const QByteArray& text, ImportLog& log, const Progress& progress)
{
    ProjectionsSymbols symbols;
    SymbolsParser parser(symbols, log);
    std::string_view rest(text.constData(), static_cast<std::size_t>(text.size()));
    while (!rest.empty() && !symbols.hasEnd && !progress.isCancelled()) {
        const std::size_t end = rest.find('\n');
        parser.line(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (symbols.isEmpty) log.add(IssueKind::EmptySymbols);
    else if (!symbols.hasEnd) log.add(IssueKind::CutSymbols);
    return symbols;
}

Result<ProjectionsSymbols> readSymbols(const QString& path, ImportLog& log, const Progress& progress)
{
    const Result<QByteArray> text = readSymbolsFile(path);
    if (!text) return text.error();
    return parseSymbols(*text, log, progress);
}

Result<> nameAfter(ProjectionsSymbols& mine, const QString& path)
{
    ImportLog log(QFileInfo(path).fileName());
    Result<ProjectionsSymbols> others = readSymbols(path, log);
    if (!others) return others.error();
    if (others->entries.empty()) {
        return Error{.what = tr("This .sts file names no entry methods."),
                     .where = path,
                     .hint = tr("Give the .sts of a run of the same program that ended normally.")};
    }
    if (!mine.entries.empty()) return Unit{};
    mine.entries = std::move(others->entries);
    mine.chares = std::move(others->chares);
    mine.events = std::move(others->events);
    mine.statistics = std::move(others->statistics);
    mine.functions = std::move(others->functions);
    mine.counters = std::move(others->counters);
    mine.papiCounters = others->papiCounters;
    if (mine.version.isEmpty()) {
        mine.version = others->version;
        mine.versionNumber = others->versionNumber;
    }
    return Unit{};
}

}  // namespace longpole
