// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the records of one log, text or binary, plain or gzip, in file order; counts what cannot be read.
// Memory: one buffer of 256 KiB, more only for a longer line (up to 1 MiB).
#pragma once

#include "importers/common/importlog.h"
#include "importers/common/inputfile.h"
#include "importers/projections/records.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace longpole {

class ProjectionsLog {
public:
    ProjectionsLog(std::unique_ptr<InputFile> input, const RecordLayout& layout, ImportLog& log);

    // Reads the header, which tells what kind of log it is; the first step does it too.
    void start();
    // The next record that can be read; false at the end or after a hard error. Times are as logged (DELTA resolved).
    bool next(LogRecord& record)
    {
        while (const std::optional<Decoded> decoded = step(record)) {
            if (*decoded == Decoded::Record) return true;
        }
        return false;
    }
    // The next record or line even if it cannot be read: `record` is set for Decoded::Record only. Empty where next()
    // is false.
    std::optional<Decoded> step(LogRecord& record);
    // What stands in the log for the last step: a line with its line feed, or the bytes of a binary record (empty if it
    // cannot be read). Valid until the next step.
    std::string_view raw() const { return m_raw; }

    // Set when reading failed for good: the disk, a bomb, a line over 1 MiB.
    const std::optional<Error>& error() const { return m_error; }

    bool isBinary() const { return m_isBinary; }
    bool isDelta() const { return m_isDelta; }
    // Records that the header promises; -1 without a header.
    std::int64_t promised() const { return m_promised; }
    std::int64_t records() const { return m_records; }  // read so far, with those that were skipped
    std::int64_t place() const { return m_isBinary ? m_records : m_records + (m_hasHeader ? 1 : 0); }  // line or record
    std::int64_t consumed() const { return m_input->consumed(); }
    std::int64_t inflated() const { return m_input->inflated(); }
    // How many records of each type were read.
    const std::array<std::int64_t, recordTypes>& counts() const { return m_counts; }

private:
    bool refill();  // moves what is left to the front and reads on; false when nothing came
    void readHeader();
    std::optional<Decoded> stepText(LogRecord& record);
    std::optional<Decoded> stepBinary(LogRecord& record);
    void countUnread(Decoded decoded);
    bool resynchronize();
    void finish();
    void resolveDelta(LogRecord& record);
    void fail(const QString& what);

    std::unique_ptr<InputFile> m_input;
    const RecordLayout& m_layout;
    ImportLog& m_log;
    std::optional<Error> m_error;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0;  // of the unread part
    std::size_t m_lines = 0;  // text: end of the last complete line
    std::size_t m_filled = 0;
    std::int64_t m_records = 0;
    std::int64_t m_promised = -1;
    std::string_view m_raw;
    std::array<std::int64_t, recordTypes> m_counts{};
    TimeNs m_deltaBase = 0;
    bool m_isStarted = false;
    bool m_isBinary = false;
    bool m_isDelta = false;
    bool m_hasHeader = false;
    bool m_atEnd = false;
};

}  // namespace longpole
