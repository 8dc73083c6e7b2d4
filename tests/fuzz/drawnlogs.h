// SPDX-License-Identifier: GPL-3.0-or-later
// Draws whole folders of Projections logs: the bytes are choices of records, in text or compressed, of symbols and of
// merges.
#pragma once

#include "fuzz/choices.h"

#include <QByteArray>
#include <QDir>
#include <QString>

#include <zlib.h>

#include <cstdlib>
#include <iterator>

namespace longpole::drawnlogs {

inline QByteArray gzippedLog(const QByteArray& bytes)
{
    z_stream stream{};
    if (deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
    QByteArray out(static_cast<qsizetype>(deflateBound(&stream, static_cast<uLong>(bytes.size()))) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.constData()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
    out.resize(static_cast<qsizetype>(stream.total_out));
    deflateEnd(&stream);
    return out;
}

// A letter is a number: T the time, E an entry, P a PE, V an event, anything else any number.
inline constexpr const char* shapes[] = {"1 n E T V P n n",
                                         "2 n E T V P n n 0 0 0 0 n",
                                         "2 n E T V P n n 0 n n",
                                         "3 n E T V P n n",
                                         "3 0 E T V P",
                                         "20 n E T V P n n n",
                                         "21 n E T V P n n n n n",
                                         "14 T P",
                                         "15 T P",
                                         "16 T P",
                                         "17 T P",
                                         "18 T P",
                                         "19 T P",
                                         "13 E T V P",
                                         "100 E T V P n n",
                                         "98 E T V P",
                                         "99 E T V P",
                                         "26 n",
                                         "27 n T",
                                         "28 n T n a",
                                         "29 T T E n a",
                                         "30 n T",
                                         "32 n T n n",
                                         "6 T",
                                         "7 T",
                                         "8 T V P",
                                         "9 T V P",
                                         "11 T",
                                         "12 T",
                                         "10 n T n n",
                                         "4 n T V P",
                                         "5 n T V P"};

inline std::int64_t oftenSmall(Choices& choices)
{
    return choices.below(12) == 0 ? choices.number() : choices.below(4);
}

// Whether many messages are array broadcasts, of which few are drawn otherwise.
enum class Broadcasts : bool { Few, Many };

inline QByteArray logLine(Choices& choices, std::int64_t& now, std::int64_t& event, Broadcasts broadcasts)
{
    QByteArray line;
    const char* shape = shapes[choices.below(std::size(shapes))];
    if (broadcasts == Broadcasts::Many && choices.below(6) == 0) shape = "1 24 E T V P n n";
    for (const char* at = shape; *at != 0; ++at) {
        if (*at == 'T')
            line += QByteArray::number(qlonglong{choices.below(24) == 0 ? choices.number()
                                                                        : (now += choices.below(50))});
        else if (*at == 'V')
            line += QByteArray::number(qlonglong{choices.below(8) == 0 ? oftenSmall(choices) : event++ / 2});
        else if (*at == 'E' || *at == 'P' || *at == 'n') line += QByteArray::number(qlonglong{oftenSmall(choices)});
        else line += *at;
    }
    return line + '\n';
}

inline QByteArray logText(Choices& choices, std::uint32_t most, Broadcasts broadcasts)
{
    QByteArray text = choices.below(8) == 0 ? QByteArray() : QByteArray("PROJECTIONS-RECORD 0\n");
    std::int64_t now = 0;
    std::int64_t event = 0;
    for (std::uint32_t i = choices.below(most); i > 0; --i) text += logLine(choices, now, event, broadcasts);
    return text;
}

inline QByteArray count(Choices& choices, qlonglong right)
{
    return QByteArray::number(choices.below(16) == 0 ? qlonglong{choices.number()} : right);
}

inline QByteArray symbols(Choices& choices, std::uint32_t pes)
{
    static constexpr const char* versions[] = {"11.0", "10.0", "9.0", "8.0", "7.0", "6.6", "4.0", "1.0"};
    QByteArray text = "PROJECTIONS_ID \nVERSION " + QByteArray(versions[choices.below(4) == 0 ? choices.below(8) : 0])
                      + "\nTOTAL_PHASES " + count(choices, 1) + "\nMACHINE \"m\"\nPROCESSORS " + count(choices, pes)
                      + "\nSMPMODE " + count(choices, 1) + ' ' + count(choices, pes) + "\nTOTAL_CHARES "
                      + count(choices, 2) + "\nTOTAL_EPS " + count(choices, 3) + "\nTOTAL_PAPI_EVENTS "
                      + count(choices, 0) + '\n';
    for (std::uint32_t i = 0; i < 3; ++i) {
        text += "CHARE " + count(choices, i) + " \"c\" " + count(choices, i == 0 ? -1 : i) + "\nENTRY CHARE "
                + count(choices, i) + " \"e(int)\" " + count(choices, i) + " 0\nEVENT " + count(choices, i)
                + " u\nSTAT " + count(choices, i) + " s\n";
    }
    return text + "TOTAL_STATS " + count(choices, 3) + "\nEND\n";
}

inline QByteArray mergeLines(Choices& choices)
{
    QByteArray text;
    for (std::uint32_t i = choices.below(8); i > 0; --i) {
        text += "MERGE";
        for (int number = 0; number < 4; ++number) text += ' ' + QByteArray::number(qlonglong{choices.below(6)});
        text += '\n';
    }
    return text;
}

// Into an empty folder. Some folders lack the .sts, few have merges.
inline void write(Choices& choices, const QString& folder, std::uint32_t pes, Broadcasts broadcasts = Broadcasts::Few)
{
    if (choices.below(8) != 0) writeFuzzFile(folder + QStringLiteral("/f.sts"), symbols(choices, pes));
    for (std::uint32_t pe = 0; pe < pes; ++pe) {
        const QByteArray text = logText(choices, 40, broadcasts);
        const bool isGzip = choices.below(2) == 0;
        writeFuzzFile(folder + QStringLiteral("/f.%1.log%2").arg(pe).arg(QLatin1String(isGzip ? ".gz" : "")),
                      isGzip ? gzippedLog(text) : text);
    }
    if (choices.below(4) == 1) writeFuzzFile(folder + QStringLiteral("/f.merges"), mergeLines(choices));
}

}  // namespace longpole::drawnlogs
