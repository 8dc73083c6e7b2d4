// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/summary/text.h"

#include "core/base/limits.h"
#include "core/base/sortrows.h"
#include "importers/common/tonumber.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

namespace longpole {
namespace {

constexpr std::int64_t mostCalls = 0x7fffffff;  // the tracer counts in 32 bits
constexpr TimeNs longestRun = maxTime / 4;

// The lines of a file, and of the current one the words. A last line without its end was cut: its last word is left
// out, as it may be a part of a longer one.
class Words {
public:
    // `files`: of the run, which share what a summary may have in any case.
    Words(const QByteArray& text, ImportLog& log, const Progress& progress, std::size_t files)
        : m_rest(text.constData(), static_cast<std::size_t>(text.size())), m_bytes(text.size()), m_files(files),
          m_log(log), m_progress(progress)
    {
    }

    std::int64_t bytes() const { return m_bytes; }  // of the whole text
    std::int64_t most(const Limit& limit) const { return limit.shared(m_bytes, m_files); }

    bool nextLine()
    {
        if (++m_words % asksEvery == 0 && m_progress.isCancelled()) m_text = m_rest = {};
        if (m_rest.empty()) return false;
        ++m_line;
        const std::size_t end = m_rest.find('\n');
        m_text = m_rest.substr(0, end);
        m_isCut = end == std::string_view::npos;
        m_rest.remove_prefix(m_isCut ? m_rest.size() : end + 1);
        if (!m_isCut) return true;
        m_log.add(IssueKind::CutSummary, m_line);
        const std::size_t blank = m_text.find_last_of(' ');
        m_text = m_text.substr(0, blank == std::string_view::npos ? 0 : blank);
        return true;
    }

    // Empty at the line's end.
    std::string_view next()
    {
        if (++m_words % asksEvery == 0 && m_progress.isCancelled()) m_text = m_rest = {};
        const std::size_t begin = std::min(m_text.find_first_not_of(" \t\r"), m_text.size());
        const std::size_t end = std::min(m_text.find_first_of(" \t\r", begin), m_text.size());
        const std::string_view word = m_text.substr(begin, end - begin);
        m_text.remove_prefix(end);
        return word;
    }
    std::string_view peek() const
    {
        Words copy = *this;
        return copy.next();
    }
    void issue(IssueKind kind) { m_log.add(kind, m_line); }

    const Progress& progress() const { return m_progress; }

private:
    static constexpr std::uint64_t asksEvery = 1 << 16;

    std::string_view m_rest;
    std::int64_t m_bytes;
    std::size_t m_files;
    std::string_view m_text;
    ImportLog& m_log;
    const Progress& m_progress;
    std::uint64_t m_words = 0;
    std::int64_t m_line = 0;
    bool m_isCut = false;
};

// The value and the count of "v+n"; a word that is none counts as one 0.
Repeated repeatedOf(std::string_view word, Words& words)
{
    const std::size_t plus = word.find('+', 1);
    const std::optional<std::int64_t> value = toNumber<std::int64_t>(word.substr(0, plus));
    const std::optional<std::int64_t> count = plus == std::string_view::npos
                                                  ? 1
                                                  : toNumber<std::int64_t>(word.substr(plus + 1));
    if (value && count && *count > 0) return {*value, *count};
    words.issue(IssueKind::MalformedSummary);
    return {0, 1};
}

// The rest of the line as `wanted` values, each within 0..most: what is beyond is limited (and counted), what is too
// much left out, what is missing is 0.
std::vector<Repeated> repeatedLine(Words& words, std::int64_t wanted, std::int64_t most, IssueKind beyond)
{
    std::vector<Repeated> values;
    std::int64_t left = wanted;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        Repeated value = repeatedOf(word, words);
        if (value.value < 0 || value.value > most) {
            words.issue(beyond);
            value.value = beyond == IssueKind::NumberOutOfRange ? 0 : std::clamp<std::int64_t>(value.value, 0, most);
        }
        if (value.count > left) {
            words.issue(IssueKind::LongSummary);
            value.count = left;
        }
        if (value.count == 0) break;
        left -= value.count;
        values.push_back(value);
    }
    if (left > 0) words.issue(IssueKind::CutSummary);
    return values;
}

std::vector<std::int64_t> plainLine(Words& words, std::int64_t entries, std::int64_t most)
{
    std::vector<std::int64_t> values;
    std::int64_t left = words.most(limits::summaryEntries);
    for (const Repeated& value : repeatedLine(words, entries, most, IssueKind::NumberOutOfRange)) {
        if (value.value != 0) left -= value.count;
        if (left < 0) {
            words.issue(IssueKind::LongSummary);
            break;
        }
        values.insert(values.end(), static_cast<std::size_t>(value.count), value.value);
    }
    return values;
}

// "0/4" to 4.
std::int64_t processorsOf(std::string_view word)
{
    const std::size_t slash = word.find('/');
    return slash == std::string_view::npos ? 0 : toNumber<std::int64_t>(word.substr(slash + 1)).value_or(0);
}

// The head's values, by the names that .sum and .sumd use.
struct Head {
    QString version;
    std::int64_t processors = 0;
    std::int64_t intervals = 0;
    std::int64_t entries = 0;
    std::int64_t phases = 0;
    TimeNs width = 0;

    bool isUsable() const { return !version.isEmpty() && intervals > 0 && entries >= 0 && width > 0; }
};

void setHeadField(Head& head, std::string_view key, std::string_view value)
{
    const auto number = [value] { return toNumber<std::int64_t>(value).value_or(-1); };
    if (key == "ver") head.version = QString::fromLatin1(value.data(), static_cast<qsizetype>(value.size()));
    if (key == "cpu") head.processors = processorsOf(value);
    if (key == "count" || key == "numIntervals") head.intervals = number();
    if (key == "ep" || key == "numEPs") head.entries = number();
    if (key == "phases") head.phases = std::max<std::int64_t>(number(), 0);
    if (key != "interval" && key != "intervalSize") return;
    const double seconds = toNumber<double>(value).value_or(0);
    if (seconds > 0 && seconds < 1e9) head.width = std::llround(seconds * 1e9);
}

std::optional<Head> readHead(Words& words)
{
    Head head;
    if (words.nextLine()) {
        for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
            const std::size_t colon = word.find(':');
            if (colon == std::string_view::npos) head.processors = processorsOf(word);
            else setHeadField(head, word.substr(0, colon), word.substr(colon + 1));
        }
    }
    if (!head.isUsable()) {
        words.issue(IssueKind::BadSummaryHead);
        return std::nullopt;
    }
    const std::int64_t most = std::min({mostIntervals, longestRun / head.width, words.most(limits::summaryIntervals)});
    if (head.intervals > most || head.entries > mostSummaryEntries) words.issue(IssueKind::LongSummary);
    head.intervals = std::min(head.intervals, most);
    head.entries = std::min(head.entries, mostSummaryEntries);
    if (head.intervals > 0) return head;
    words.issue(IssueKind::BadSummaryHead);
    return std::nullopt;
}

void readMarks(Words& words, Summary& summary)
{
    const std::int64_t count = toNumber<std::int64_t>(words.next()).value_or(-1);
    if (count < 0) words.issue(IssueKind::MalformedSummary);
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        const std::optional<std::uint32_t> type = toNumber<std::uint32_t>(word);
        const std::optional<double> seconds = toNumber<double>(words.next());
        if (!type || !seconds) {
            words.issue(IssueKind::MalformedSummary);
        } else if (*type > 0xfffffff || !(*seconds >= 0) || *seconds * 1e9 > static_cast<double>(summary.end())) {
            words.issue(IssueKind::NumberOutOfRange);
        } else {
            summary.marks.push_back({std::llround(*seconds * 1e9), *type});
        }
    }
    if (count != static_cast<std::int64_t>(summary.marks.size())) words.issue(IssueKind::CutSummary);
}

// Files of version 3 have the lines in this order without their names.
constexpr std::string_view lineNames[] = {"EPExeTime:", "EPCallTime:", "MaxEPTime:", "NumMarks:"};

void readLine(Words& words, std::string_view name, std::int64_t entries, Summary& summary)
{
    if (name == "EPExeTime:") {
        summary.times = plainLine(words, entries, summary.end() / 1000 + 1);
    } else if (name == "EPCallTime:") {
        summary.calls = plainLine(words, entries, mostCalls);
    } else if (name == "NumMarks:") {
        readMarks(words, summary);
    } else if (name == "IdlePercent:") {
        summary.idle = repeatedLine(words, summary.intervals, 100, IssueKind::ImpossiblePercentage);
        summary.hasIdle = true;
    } else if (name != "MaxEPTime:") {
        words.issue(IssueKind::MalformedSummary);
    }
}

// A cell per interval and entry that has something in it, from two lines of runs of equal length, entry by entry.
void makeCells(const std::vector<Repeated>& times, const std::vector<Repeated>& calls, SummaryDetail& detail,
               std::size_t most, Words& words)
{
    constexpr Repeated rest{0, maxTime};
    std::int64_t left = words.most(limits::summaryEntries);
    std::size_t time = 0;
    std::size_t call = 0;
    Repeated timeRun = times.empty() ? rest : times[0];
    Repeated callRun = calls.empty() ? rest : calls[0];
    for (std::int64_t at = 0; time < times.size() || call < calls.size();) {
        if (words.progress().isCancelled()) return;
        const std::int64_t equal = std::min(timeRun.count, callRun.count);
        if (timeRun.value != 0 || callRun.value != 0) {
            if (static_cast<std::size_t>(equal) > most - detail.cells.size())
                return words.issue(IssueKind::LongSummary);
            for (std::int64_t i = at; i < at + equal; ++i) {
                const auto entry = static_cast<std::uint16_t>(i / detail.intervals);
                const bool isNext = detail.cells.empty() || detail.cells.back().entry != entry;
                if (isNext && left-- == 0) return words.issue(IssueKind::LongSummary);
                detail.cells.push_back({static_cast<std::uint32_t>(i % detail.intervals), entry,
                                        static_cast<std::uint32_t>(timeRun.value),
                                        static_cast<std::uint32_t>(callRun.value)});
            }
        }
        at += equal;
        timeRun.count -= equal;
        callRun.count -= equal;
        if (timeRun.count == 0) timeRun = ++time < times.size() ? times[time] : rest;
        if (callRun.count == 0) callRun = ++call < calls.size() ? calls[call] : rest;
    }
}

}  // namespace

std::optional<Summary> parseSummary(const QByteArray& text, ImportLog& log, const Progress& progress, std::size_t files)
{
    Words words(text, log, progress, files);
    const std::optional<Head> head = readHead(words);
    if (!head) return std::nullopt;
    Summary summary;
    summary.version = head->version;
    summary.processors = head->processors;
    summary.intervals = head->intervals;
    summary.width = head->width;
    summary.phases = head->phases;
    if (words.nextLine()) summary.busy = repeatedLine(words, head->intervals, 100, IssueKind::ImpossiblePercentage);
    std::size_t unnamed = 0;
    while (words.nextLine()) {
        const std::string_view first = words.peek();
        if (first.empty() || first.front() == '[') continue;  // a phase's totals, which have no time
        const bool isNamed = first.find(':') != std::string_view::npos;
        if (isNamed) unnamed = std::size(lineNames);
        if (isNamed) readLine(words, words.next(), head->entries, summary);
        else if (unnamed < std::size(lineNames)) readLine(words, lineNames[unnamed++], head->entries, summary);
        else words.issue(IssueKind::MalformedSummary);
    }
    const auto byTime = [](const Summary::Mark& a, const Summary::Mark& b) { return a.time < b.time; };
    sortRows(summary.marks, progress, byTime);
    if (head->entries > 0 && (summary.times.empty() || summary.calls.empty())) words.issue(IssueKind::CutSummary);
    return summary;
}

std::optional<SummaryDetail> parseSummaryDetail(const QByteArray& text, ImportLog& log, const Progress& progress,
                                                std::size_t files)
{
    Words words(text, log, progress, files);
    const std::optional<Head> head = readHead(words);
    if (!head) return std::nullopt;
    SummaryDetail detail{.intervals = head->intervals, .width = head->width, .cells = {}};
    const std::int64_t cells = head->intervals * head->entries;
    const std::int64_t mostTime = std::min<std::int64_t>(head->width / 1000 + 1, 0xffffffff);
    std::vector<Repeated> times;
    std::vector<Repeated> calls;
    while (words.nextLine()) {
        const std::string_view name = words.next();
        if (name == "ExeTimePerEPperInterval")
            times = repeatedLine(words, cells, mostTime, IssueKind::NumberOutOfRange);
        else if (name == "EPCallTimePerInterval")
            calls = repeatedLine(words, cells, mostCalls, IssueKind::NumberOutOfRange);
        else if (!name.empty()) words.issue(IssueKind::MalformedSummary);
    }
    if (cells > 0 && (times.empty() || calls.empty())) words.issue(IssueKind::CutSummary);
    const auto most = static_cast<std::size_t>(words.most(limits::summaryCells));
    makeCells(times, calls, detail, std::min(most, mostSummaryCells), words);
    const auto key = [](const SummaryDetail::Cell& cell) { return std::tuple(cell.interval, cell.entry); };
    sortRows(detail.cells, progress, [key](const auto& a, const auto& b) { return key(a) < key(b); });
    return detail;
}

}  // namespace longpole
