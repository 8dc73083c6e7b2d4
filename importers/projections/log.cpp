// SPDX-License-Identifier: GPL-3.0-or-later
// Cutting a stream of bytes into records: lines of text, or binary records with a search for the next good one.
#include "importers/projections/log.h"

#include "core/base/translate.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace longpole {
namespace {

constexpr std::size_t readAtOnce = std::size_t{256} * 1024;
constexpr std::size_t longestRecord = std::size_t{1024} * 1024;
constexpr std::string_view magic = "PROJECTIONS-RECORD";

}  // namespace

ProjectionsLog::ProjectionsLog(std::unique_ptr<InputFile> input, const RecordLayout& layout, ImportLog& log)
    : m_input(std::move(input)), m_layout(layout), m_log(log), m_buffer(readAtOnce + 1)
{
}

void ProjectionsLog::fail(const QString& what)
{
    m_error = Error{.what = what,
                    .where = tr("%1, line %2").arg(m_input->name(), QString::number(place() + 1)),
                    .hint = tr("The file was not made by Projections tracing.")};
    m_begin = m_lines = m_filled = 0;
    m_atEnd = true;
}

bool ProjectionsLog::refill()
{
    if (m_atEnd) return false;
    const std::size_t left = m_filled - m_begin;
    std::memmove(m_buffer.data(), m_buffer.data() + m_begin, left);
    m_begin = 0;
    m_filled = left;
    if (left >= longestRecord && !m_isBinary) {
        fail(tr("A record is longer than 1 MiB."));
        return false;
    }
    // A quarter of the buffer must be free, so that a long record costs few refills.
    const std::size_t capacity = m_buffer.size() - 1;
    if (left > capacity / 4 * 3) m_buffer.resize(std::min(capacity * 4, longestRecord + readAtOnce) + 1);
    const std::size_t room = std::min(readAtOnce, m_buffer.size() - 1 - m_filled);
    Result<std::size_t> got = m_input->read({m_buffer.data() + m_filled, room});
    if (!got) {
        m_error = got.error();
        m_atEnd = true;
        return false;
    }
    m_filled += *got;
    m_buffer[m_filled] = '\0';
    m_atEnd = *got == 0;
    const char* const data = m_buffer.data();
    const void* const lineFeed = m_filled > 0 ? memrchr(data, '\n', m_filled) : nullptr;
    m_lines = lineFeed ? static_cast<std::size_t>(static_cast<const char*>(lineFeed) - data) + 1 : 0;
    return *got > 0;
}

void ProjectionsLog::start()
{
    if (m_isStarted) return;
    m_isStarted = true;
    refill();
    if (m_filled == 0) return;
    const std::string_view head(m_buffer.data(), m_filled);
    if (head.substr(0, magic.size()) == magic.substr(0, std::min(head.size(), magic.size()))) return readHeader();
    LogRecord record;
    std::size_t used = 0;
    if (m_filled > 4 && decodeBinary({m_buffer.data() + 4, m_filled - 4}, m_layout, record, used) == Decoded::Record) {
        m_isBinary = true;
        m_begin = 4;
        return;
    }
    m_log.add(IssueKind::MissingHeader);
}

void ProjectionsLog::readHeader()
{
    m_hasHeader = true;
    while (m_lines == 0 && refill()) {}
    if (m_lines == 0) return;  // the header itself is cut: no records
    const std::string_view text(m_buffer.data(), m_lines);
    const std::size_t end = text.find('\n');
    std::string_view header = text.substr(0, end);
    m_isDelta = header.find("DELTA") != std::string_view::npos;
    header.remove_prefix(std::min(header.size(), magic.size() + 1));
    std::from_chars(header.data(), header.data() + header.size(), m_promised);
    m_begin = end + 1;
}

std::optional<Decoded> ProjectionsLog::step(LogRecord& record)
{
    if (!m_isStarted) start();
    const std::optional<Decoded> decoded = m_isBinary ? stepBinary(record) : stepText(record);
    if (decoded == Decoded::Record) {
        ++m_counts[static_cast<std::size_t>(record.type)];
        if (m_isDelta) resolveDelta(record);
    }
    return decoded;
}

std::optional<Decoded> ProjectionsLog::stepText(LogRecord& record)
{
    if (m_begin >= m_lines) {
        while (refill() && m_lines == 0) {}
        if (m_lines == 0 || m_begin >= m_lines) {
            finish();
            return std::nullopt;
        }
    }
    const char* const begin = m_buffer.data() + m_begin;
    const char* const end = static_cast<const char*>(std::memchr(begin, '\n', m_lines - m_begin));
    const auto length = static_cast<std::size_t>(end - begin);
    m_raw = {begin, length + 1};
    m_begin += length + 1;
    ++m_records;
    const Decoded decoded = decodeText({begin, length}, m_layout, record);
    if (decoded != Decoded::Record) countUnread(decoded);
    return decoded;
}

void ProjectionsLog::countUnread(Decoded decoded)
{
    switch (decoded) {
    case Decoded::Unknown: return m_log.add(IssueKind::UnknownRecord, place());
    case Decoded::EntryOutOfRange: return m_log.add(IssueKind::EntryOutOfRange, place());
    case Decoded::NumberOutOfRange: return m_log.add(IssueKind::NumberOutOfRange, place());
    default: return m_log.add(IssueKind::MalformedRecord, place());
    }
}

std::optional<Decoded> ProjectionsLog::stepBinary(LogRecord& record)
{
    std::size_t used = 0;
    Decoded decoded = Decoded::More;
    while (true) {
        decoded = decodeBinary({m_buffer.data() + m_begin, m_filled - m_begin}, m_layout, record, used);
        // Bytes that ask for more than any record has are damaged; so are those that ask at the end for more than there
        // is.
        if (decoded != Decoded::More || m_filled - m_begin >= longestRecord || !refill()) break;
    }
    if (m_error) return std::nullopt;
    const std::size_t begin = m_begin;
    if (decoded == Decoded::More && m_atEnd && (m_begin == m_filled || !resynchronize())) {
        m_begin = begin;
        finish();
        return std::nullopt;
    }
    ++m_records;
    m_raw = {};
    if (decoded == Decoded::Record || decoded == Decoded::NumberOutOfRange) {
        m_raw = {m_buffer.data() + m_begin, used};
        m_begin += used;
        if (decoded == Decoded::NumberOutOfRange) countUnread(decoded);
        return decoded;
    }
    countUnread(Decoded::Malformed);
    if (m_begin == begin && !resynchronize()) {
        finish();
        return std::nullopt;
    }
    return Decoded::Malformed;
}

// After a record that cannot be read, goes on after the next line feed that is followed by two good records.
bool ProjectionsLog::resynchronize()
{
    ++m_begin;
    while (true) {
        for (; m_begin < m_filled; ++m_begin) {
            if (m_buffer[m_begin - 1] != '\n') continue;
            LogRecord trial;
            std::size_t first = 0;
            std::size_t second = 0;
            const std::span<const char> rest(m_buffer.data() + m_begin, m_filled - m_begin);
            const Decoded one = decodeBinary(rest, m_layout, trial, first);
            if (one == Decoded::More && !m_atEnd && rest.size() < longestRecord) break;
            if (one != Decoded::Record) continue;
            const Decoded two = decodeBinary(rest.subspan(first), m_layout, trial, second);
            if (two == Decoded::Record || two == Decoded::More) return true;
        }
        if (m_begin > 0) --m_begin;  // keeps the byte that may be the line feed
        const bool more = refill();
        if (m_error) return false;
        if (!more) {
            m_begin = m_filled;
            return false;
        }
        ++m_begin;
    }
}

void ProjectionsLog::finish()
{
    if (m_error) return;
    if (m_begin < m_filled) m_log.add(IssueKind::CutRecord, place() + 1);
    m_begin = m_lines = m_filled = 0;
    switch (m_input->end()) {
    case InputFile::End::Whole: break;
    case InputFile::End::Cut: m_log.add(IssueKind::CutLog, place()); break;
    case InputFile::End::Damaged: m_log.add(IssueKind::DamagedLog, place()); break;
    case InputFile::End::WrongChecksum: m_log.add(IssueKind::WrongChecksum, place()); break;
    case InputFile::End::TrailingBytes: m_log.add(IssueKind::TrailingBytes, place()); break;
    }
}

// In DELTA logs a time is the difference to the record before, except in the first and the last record.
void ProjectionsLog::resolveDelta(LogRecord& record)
{
    if (record.time < 0) return;
    const bool isAbsolute = record.type == RecordType::BeginComputation || record.type == RecordType::EndComputation;
    if (!isAbsolute) {
        const TimeNs sum = saturatingAdd(m_deltaBase, record.time);
        record.time = sum < maxMicroseconds * 1000 ? sum : -1;
        if (record.time < 0) return;
    }
    m_deltaBase = record.time;
}

}  // namespace longpole
