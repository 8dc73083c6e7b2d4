// SPDX-License-Identifier: GPL-3.0-or-later
// Reading recorded merge edges from text, line by line.
#include "importers/common/merges.h"

#include "core/base/limits.h"
#include "core/base/sortrows.h"
#include "core/base/translate.h"
#include "importers/common/inputfile.h"

#include <QDateTime>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace longpole {
namespace {

constexpr std::string_view writtenMark = "# longpole-merges ";  // recorder/charm/pathoutput.C
constexpr std::size_t longestLine = 4096;                       // anything longer is no text

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

void skipBlanks(std::string_view& text)
{
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
}

bool nextNumber(std::string_view& text, std::uint32_t& number)
{
    if (text.empty() || !isBlank(text.front())) return false;
    skipBlanks(text);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

void readLine(std::string_view text, std::int64_t line, RecordedMerges& merges, ImportLog& log)
{
    if (line == 1 && text.starts_with(writtenMark)) {
        const std::string_view date = text.substr(writtenMark.size());
        const QString written = QString::fromLatin1(date.data(), static_cast<qsizetype>(date.size())).trimmed();
        const QDateTime time = QDateTime::fromString(written, Qt::ISODate);
        if (time.isValid()) merges.written = time.toSecsSinceEpoch();
    }
    skipBlanks(text);
    if (text.empty() || text.front() == '#') return;
    if (const std::optional<RecordedMerge> merge = parseMerge(text)) merges.edges.push_back(*merge);
    else log.add(IssueKind::MalformedMerge, line);
}

}  // namespace

std::optional<RecordedMerge> parseMerge(std::string_view text)
{
    constexpr std::string_view word = "MERGE";
    if (text.substr(0, word.size()) != word) return std::nullopt;
    text.remove_prefix(word.size());
    RecordedMerge merge;
    for (std::uint32_t* number : {&merge.pe, &merge.event, &merge.sourcePe, &merge.sourceEvent}) {
        if (!nextNumber(text, *number)) return std::nullopt;
    }
    skipBlanks(text);
    if (!text.empty()) return std::nullopt;
    return merge;
}

namespace {

// Keeps each edge once where they are many: those of a run are few, a compressed file says one a million times.
class MergesRead {
public:
    MergesRead(const QString& path, const Progress& progress)
        : m_path(path), m_progress(progress), m_most(limits::recordedMerges.of(QFileInfo(path).size()))
    {
    }

    Result<> check(std::vector<RecordedMerge>& edges)
    {
        if (edges.size() <= m_checkAt) return Unit{};
        sortRows(edges, m_progress);
        if (m_progress.isCancelled()) return cancelledError(m_path);
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        if (std::cmp_greater(edges.size(), m_most))
            return Error{tr("There are more than %1 merges in so small a file.").arg(m_most), m_path,
                         tr("The file was not made by a tracer; without it the run can be imported.")};
        m_checkAt = std::max(m_checkAt, 2 * edges.size());
        return Unit{};
    }

private:
    QString m_path;
    const Progress& m_progress;
    std::int64_t m_most;
    std::size_t m_checkAt = std::size_t{1} << 20;
};

}  // namespace

Result<RecordedMerges> readMerges(const QString& path, ImportLog& log, const Progress& progress)
{
    Result<std::unique_ptr<InputFile>> input = InputFile::open(path);
    if (!input) return input.error();
    RecordedMerges merges;
    MergesRead read(path, progress);
    std::vector<char> buffer(std::size_t{256} * 1024);
    std::size_t filled = 0;
    std::int64_t line = 0;
    bool isTooLong = false;  // the line that is being read: its rest is left out
    while (true) {
        if (progress.isCancelled()) return cancelledError(path);
        const Result<std::size_t> got = (*input)->read(std::span(buffer).subspan(filled));
        if (!got) return got.error();
        std::string_view rest(buffer.data(), filled + *got);
        for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
            ++line;
            if (!isTooLong) readLine(rest.substr(0, end), line, merges, log);
            isTooLong = false;
            rest.remove_prefix(end + 1);
        }
        if (const Result<> kept = read.check(merges.edges); !kept) return kept.error();
        if (*got == 0) {
            if (!isTooLong) readLine(rest, line + 1, merges, log);
            return merges;
        }
        if (rest.size() > longestLine) {
            if (!isTooLong) log.add(IssueKind::MalformedMerge, line + 1);
            isTooLong = true;
            rest = {};
        }
        filled = rest.copy(buffer.data(), rest.size());
    }
}

QByteArray textOfMerges(const RecordedMerges& merges)
{
    QByteArray text;
    if (merges.written) {
        text.append(writtenMark.data(), static_cast<qsizetype>(writtenMark.size()));
        text += QDateTime::fromSecsSinceEpoch(*merges.written, Qt::UTC).toString(Qt::ISODate).toLatin1() + '\n';
    }
    for (const RecordedMerge& merge : merges.edges) {
        text += "MERGE";
        for (const std::uint32_t number : {merge.pe, merge.event, merge.sourcePe, merge.sourceEvent})
            text += ' ' + QByteArray::number(number);
        text += '\n';
    }
    return text;
}

}  // namespace longpole
