// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the text that otf2-print prints.
#include "support/otf2/printed.h"

#include "importers/otf2/archive.h"

#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>

#include <cxxabi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace longpole {
namespace {

QString run(const QStringList& arguments)
{
    QProcess process;
    process.start(QStringLiteral("otf2-print"), arguments);
    if (!process.waitForFinished(120'000) || process.exitCode() != 0) return {};
    return QString::fromUtf8(process.readAllStandardOutput());
}

QString demangled(const QString& name)
{
    int status = 0;
    char* plain = abi::__cxa_demangle(name.toUtf8().constData(), nullptr, nullptr, &status);
    const QString result = status == 0 && name.startsWith(QLatin1String("_Z")) ? QString::fromUtf8(plain) : name;
    std::free(plain);
    return result;
}

qlonglong numberAfter(const QString& text, const char* key)
{
    const QRegularExpression pattern(QStringLiteral("%1: (\\d+)").arg(QString::fromLatin1(key)));
    const QRegularExpressionMatch match = pattern.match(text);
    return match.hasMatch() ? match.captured(1).toLongLong() : -1;
}

QString lineOf(const QString& kind, TimeNs time, const QString& rest)
{
    if (kind == QLatin1String("ENTER")) {
        const QString region = rest.section(u'"', 1).section(QStringLiteral("\" <"), 0, 0);
        return QStringLiteral("ENTER %1 %2").arg(time).arg(demangled(region));
    }
    if (kind == QLatin1String("LEAVE")) return QStringLiteral("LEAVE %1").arg(time);
    const bool isSend = kind == QLatin1String("MPI_SEND");
    if (isSend || kind == QLatin1String("MPI_RECV")) {
        return QStringLiteral("%1 %2 %3 %4")
            .arg(isSend ? QStringLiteral("SEND") : QStringLiteral("RECV"))
            .arg(numberAfter(rest, isSend ? "Receiver" : "Sender"))
            .arg(numberAfter(rest, "Tag"))
            .arg(numberAfter(rest, "Length"));
    }
    if (kind == QLatin1String("MPI_COLLECTIVE_END") && !rest.contains(QLatin1String("_HANDLE")))
        return QStringLiteral("COLLECTIVE %1").arg(numberAfter(rest, "Root"));
    return {};
}

}  // namespace

std::optional<PrintedOtf2> printOtf2(const QString& path)
{
    const Result<Otf2Archive> archive = findOtf2Archive(path);
    if (!archive || QStandardPaths::findExecutable(QStringLiteral("otf2-print")).isEmpty()) return std::nullopt;
    const QString definitions = run({QStringLiteral("-G"), archive->anchor});
    const qlonglong resolution = numberAfter(definitions, "Ticks per Seconds");
    const qlonglong offset = numberAfter(definitions, "Global Offset");
    if (resolution <= 0) return std::nullopt;
    PrintedOtf2 printed;
    printed.first = printed.firstEnter = std::numeric_limits<TimeNs>::max();
    printed.last = std::numeric_limits<TimeNs>::min();
    std::map<QString, QStringList> locations;
    static const QRegularExpression record(QStringLiteral("^([A-Z_0-9]+) +(\\d+) +(\\d+)(.*)$"));
    for (const QString& text : run({archive->anchor}).split(u'\n')) {
        const QRegularExpressionMatch match = record.match(text);
        if (!match.hasMatch()) continue;
        const auto ticks = static_cast<long double>(match.captured(3).toLongLong() - offset);
        const auto time = static_cast<TimeNs>(std::llround(ticks * 1e9L / static_cast<long double>(resolution)));
        const QString kind = match.captured(1);
        ++printed.counts[kind.toStdString()];
        printed.first = std::min(printed.first, time);
        printed.last = std::max(printed.last, time);
        if (kind == QLatin1String("ENTER")) printed.firstEnter = std::min(printed.firstEnter, time);
        QStringList& lines = locations[match.captured(2)];
        const QString line = lineOf(kind, time, match.captured(4));
        if (!line.isEmpty()) lines += line;
    }
    for (auto& [location, lines] : locations) printed.locations.push_back(std::move(lines));
    std::sort(printed.locations.begin(), printed.locations.end());
    return printed;
}

QStringList likePrinted(const MpiEventLog& location)
{
    QStringList lines;
    bool isInLifetime = false;  // in MPI_Init or MPI_Finalize, which are collective though no record says so
    for (const QString& line : location.lines) {
        const QStringList words = line.split(u' ');
        const QString kind = words[1];
        if (kind == QLatin1String("enter") || kind == QLatin1String("begin")) {
            lines += QStringLiteral("ENTER %1 %2").arg(words[0], line.section(u' ', 2));
            if (kind == QLatin1String("begin"))
                isInLifetime = words[2].startsWith(QLatin1String("MPI_Init"))
                               && words[2] != QLatin1String("MPI_Initialized");
            isInLifetime |= words[2] == QLatin1String("MPI_Finalize");
        } else if (kind == QLatin1String("leave") || kind == QLatin1String("end")) {
            lines += QStringLiteral("LEAVE %1").arg(words[0]);
        } else if (words[0] == QLatin1String("send") || words[0] == QLatin1String("ssend")) {
            lines += QStringLiteral("SEND %1 %2 %3").arg(words[5], words[7], words[9]);
        } else if (words[0] == QLatin1String("received")) {
            lines += QStringLiteral("RECV %1 %2 %3").arg(words[5], words[7], words[9]);
        } else if (words[0] == QLatin1String("collective") && !isInLifetime) {
            lines += QStringLiteral("COLLECTIVE %1").arg(words[5]);
        }
    }
    return lines;
}

}  // namespace longpole
