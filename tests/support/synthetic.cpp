// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the made-up run. What PE p does in round r follows from the seed alone, so that each log is written by itself.
#include "support/synthetic.h"

#include "core/base/parallel.h"

#include <QDir>
#include <QFile>

#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <string_view>
#include <vector>

namespace longpole {
namespace {

constexpr std::uint32_t tasksPerRound = 32;
constexpr std::int64_t recordsPerRound = tasksPerRound * 3 + 4;
constexpr std::int64_t startUp = 1000;  // us before the first task
constexpr std::int64_t round = 1000;    // us
constexpr std::uint32_t userEntry = 5;  // first of six

std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// Text of a log, written in pieces of a MiB.
class LogFile {
public:
    LogFile(const QString& path, bool isCompressed)
    {
        const QByteArray name = QFile::encodeName(path);
        m_file = gzopen(name.constData(), isCompressed ? "wb1" : "wbT");
        m_text.reserve(capacity + 256);
    }
    ~LogFile() { close(); }
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    template <typename... Numbers>
    void line(Numbers... numbers)
    {
        const std::size_t used = m_text.size();
        m_text.resize(used + 24 * sizeof...(numbers));
        char* to = m_text.data() + used;
        ((to = std::to_chars(to, to + 21, numbers).ptr, *to++ = ' '), ...);
        to[-1] = '\n';
        m_text.resize(static_cast<std::size_t>(to - m_text.data()));
        if (m_text.size() > capacity) flush();
    }
    void header()
    {
        constexpr std::string_view text = "PROJECTIONS-RECORD 0\n";
        m_text.insert(m_text.end(), text.begin(), text.end());
    }
    bool close()
    {
        if (!m_file) return m_isGood;
        flush();
        m_isGood = gzclose(m_file) == Z_OK && m_isGood;
        m_file = nullptr;
        return m_isGood;
    }

private:
    static constexpr std::size_t capacity = 1 << 20;
    void flush()
    {
        const auto size = static_cast<unsigned>(m_text.size());
        m_isGood = m_isGood && m_file && (size == 0 || gzwrite(m_file, m_text.data(), size) == static_cast<int>(size));
        m_text.clear();
    }
    gzFile m_file = nullptr;
    std::vector<char> m_text;
    bool m_isGood = true;
};

class Writer {
public:
    Writer(const SyntheticRun& run, std::uint32_t pe, LogFile& log) : m_run(run), m_pe(pe), m_log(log) {}

    void write()
    {
        const std::int64_t rounds = std::max<std::int64_t>(1, m_run.records
                                                                  / (std::int64_t{m_run.processors} * recordsPerRound));
        m_log.header();
        m_log.line(6, 10);
        // The messages that round 1 executes are made at start-up, outside any task.
        for (std::uint32_t j = 0; j < tasksPerRound; ++j) creation(0, j, 20 + j);
        for (std::int64_t r = 1; r <= rounds; ++r) writeRound(r, startUp + (r - 1) * round);
        m_log.line(7, startUp + rounds * round);
    }

private:
    std::uint32_t entryOf(std::int64_t r, std::uint32_t j) const
    {
        return userEntry + static_cast<std::uint32_t>(mixed(m_run.seed ^ (static_cast<std::uint64_t>(r) * 64 + j)) % 6);
    }
    // Where message j of a round goes: this many PEs on.
    std::uint32_t distance(std::int64_t r, std::uint32_t j) const
    {
        return static_cast<std::uint32_t>(mixed(m_run.seed + static_cast<std::uint64_t>(r) * 131 + j)
                                          % m_run.processors);
    }
    void creation(std::int64_t r, std::uint32_t j, std::int64_t time)
    {
        m_log.line(1, 21, entryOf(r, j), time, r * tasksPerRound + j, m_pe, 512, 0);
    }
    void writeRound(std::int64_t r, std::int64_t begin)
    {
        std::uint64_t random = mixed(m_run.seed * 31 + m_pe * 7919 + static_cast<std::uint64_t>(r));
        std::int64_t time = begin + static_cast<std::int64_t>(random % 16);
        const std::int64_t cpu = time * 2;
        for (std::uint32_t j = 0; j < tasksPerRound; ++j) {
            random = mixed(random);
            const std::int64_t duration = 2 + static_cast<std::int64_t>(random % 24);
            const std::uint32_t source = (m_pe + m_run.processors - distance(r - 1, j)) % m_run.processors;
            const std::int64_t event = (r - 1) * tasksPerRound + j;
            const std::uint32_t entry = entryOf(r - 1, j);
            m_log.line(2, 4, entry, time, event, source, 512, 0, j, static_cast<std::int64_t>(m_pe), cpu);
            creation(r, j, time + duration / 2);
            m_log.line(3, 0, entry, time + duration, event, source, 0, cpu);
            time += duration + static_cast<std::int64_t>((random >> 32) % 4);
        }
        m_log.line(16, time, m_pe);
        m_log.line(17, time + 1, m_pe);
        m_log.line(14, time + 2, m_pe);
        m_log.line(15, begin + round - 1, m_pe);
    }

    const SyntheticRun& m_run;
    std::uint32_t m_pe;
    LogFile& m_log;
};

bool writeSymbols(const QString& path, const SyntheticRun& run)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return false;
    QByteArray text = "PROJECTIONS_ID \nVERSION 11.0\nTOTAL_PHASES 0\nMACHINE \"multicore-linux-x86_64\"\nPROCESSORS " +
                      QByteArray::number(run.processors) + "\nSMPMODE " + QByteArray::number(run.processors) +
                      " 1\nCOMMANDLINE \"./synthetic\"\nTOTAL_CHARES 4\nTOTAL_EPS 11\nTOTAL_MSGS 1\nTOTAL_PSEUDOS 0\n"
                      "TOTAL_EVENTS 0\nCHARE 0 \"dummy_thread_chare\" -1\nCHARE 1 \"SDAG\" -1\nCHARE 2 \"Block\" 2\n";
    for (int entry = 0; entry < 11; ++entry) {
        const bool isUser = entry >= static_cast<int>(userEntry);
        text += "ENTRY CHARE " + QByteArray::number(entry) + " \"step" + QByteArray::number(entry) + "(int n)\" "
                + (isUser ? "2" : "0") + " 0\n";
    }
    text += "MESSAGE 0 0\nTOTAL_STATS 0\nEND\n";
    return file.write(text) == text.size();
}

}  // namespace

QString writeSynthetic(const QString& folder, const SyntheticRun& run)
{
    const QDir directory(folder);
    const QString symbols = directory.absoluteFilePath(QStringLiteral("synthetic.sts"));
    std::atomic<bool> isGood{run.processors > 0 && writeSymbols(symbols, run)};
    parallelFor(isGood ? run.processors : 0, [&](std::size_t pe) {
        const QString name = QStringLiteral("synthetic.%1.log").arg(pe)
                             + (run.isCompressed ? QStringLiteral(".gz") : QString());
        LogFile log(directory.absoluteFilePath(name), run.isCompressed);
        Writer(run, static_cast<std::uint32_t>(pe), log).write();
        if (!log.close()) isGood = false;
    });
    return isGood ? symbols : QString();
}

}  // namespace longpole
