// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/record/onlinesamples.h"

#include "core/base/limits.h"
#include "core/base/mayneverend.h"
#include "core/base/translate.h"

#include <QDir>
#include <QFileInfo>

namespace longpole {

namespace {

constexpr qint64 longestLine = 1 << 20;  // the recorder's have some thousand bytes

// A number that is there and not negative; else `isWhole` becomes false.
std::int64_t numberOf(const JsonValue& object, const char* key, bool& isWhole)
{
    const std::int64_t number = integerOf(object, key, -1);
    if (number < 0) isWhole = false;
    return number;
}

OnlineProcedure procedureOf(const JsonValue& row, bool& isWhole)
{
    OnlineProcedure procedure{.name = textOf(row, "name").left(limits::nameLength.free),
                              .share = numberOf(row, "share_ns", isWhole)};
    if (!memberOf(row, "net_ns").is_null()) procedure.net = numberOf(row, "net_ns", isWhole);
    if (row.contains("net_since_ns")) procedure.netSince = numberOf(row, "net_since_ns", isWhole);
    if (row.contains("inclusive_ns")) procedure.inclusive = numberOf(row, "inclusive_ns", isWhole);
    procedure.cpu = numberOf(row, "cpu_ns", isWhole);
    return procedure;
}

}  // namespace

Result<OnlineSample> parseSample(const QByteArray& line)
{
    std::optional<JsonValue> json = parseJson(line);
    bool isWhole = json && json->is_object() && integerOf(*json, "version", 0) == 1;
    if (!isWhole)
        return Error{tr("This is no sample of a critical path that this version reads."), QString(), QString()};
    OnlineSample sample{.time = numberOf(*json, "time_ns", isWhole),
                        .length = numberOf(*json, "length_ns", isWhole),
                        .covered = numberOf(*json, "covered_ns", isWhole),
                        .meetings = numberOf(*json, "meetings", isWhole)};
    for (const JsonValue& row : listOf(*json, "procedures")) sample.procedures.push_back(procedureOf(row, isWhole));
    sample.rest = numberOf(*json, "rest_ns", isWhole);
    for (const JsonValue& row : listOf(*json, "ranks"))
        sample.ranks.push_back({numberOf(row, "rank", isWhole), numberOf(row, "share_ns", isWhole)});
    sample.own = numberOf(*json, "own_ns", isWhole);
    sample.messages = numberOf(*json, "messages", isWhole);
    sample.late = numberOf(*json, "late", isWhole);
    sample.ambiguous = numberOf(*json, "ambiguous", isWhole);
    sample.ahead = numberOf(*json, "ahead", isWhole);
    sample.lost = numberOf(*json, "lost_ns", isWhole);
    if (json->contains("rest_cpu_ns")) sample.restCpu = numberOf(*json, "rest_cpu_ns", isWhole);
    if (json->contains("paused_ns")) sample.paused = numberOf(*json, "paused_ns", isWhole);
    if (json->contains("differences")) sample.differences = numberOf(*json, "differences", isWhole);
    const std::pair<const char*, std::optional<std::int64_t> OnlineSample::*> comparisons[] = {
        {"compared", &OnlineSample::compared},
        {"compared_shares", &OnlineSample::comparedShares},
        {"not_compared", &OnlineSample::notCompared}};
    for (const auto& [key, field] : comparisons)
        if (json->contains(key)) sample.*field = numberOf(*json, key, isWhole);
    if (json->contains("mistraced")) sample.mistraced = numberOf(*json, "mistraced", isWhole);
    if (json->contains("factor")) {
        const auto factor = parseRational(textOf(*json, "factor"));
        if (factor) sample.factor = *factor;
        else isWhole = false;
    }
    sample.isOfCpu = textOf(*json, "clock") == QLatin1String("cpu");
    const JsonValue& between = memberOf(*json, "between");
    sample.isBetween = between.is_boolean() && between.get<bool>();
    const JsonValue& stopped = memberOf(*json, "stopped");
    sample.isStopped = stopped.is_boolean() && stopped.get<bool>();
    const JsonValue& last = memberOf(*json, "final");
    sample.isFinal = last.is_boolean() && last.get<bool>();
    if (!isWhole) return Error{tr("A figure of this sample is missing, or cannot be."), QString(), QString()};
    sample.json = std::move(*json);
    return sample;
}

Result<OnlineSamples> OnlineSamples::open(const QString& run)
{
    const QFileInfo given(run);
    if (!given.exists())
        return Error{tr("There is no such file or folder."), run, tr("Name the folder of a recording (.lprec).")};
    const QFileInfo file(given.isDir() ? QDir(run).filePath(QStringLiteral("online.jsonl")) : run);
    const QString hint = tr("Record it with 'longpole record --online'.");
    if (mayNeverEnd(file.filePath()) || !file.isFile())
        return Error{tr("The run has no samples of its critical path."), run, hint};
    OnlineSamples samples(file.filePath());
    // A wrong file is said at once, before anybody waits for its next line.
    QFile first(samples.m_file);
    if (!first.open(QIODevice::ReadOnly))
        return Error{tr("The file cannot be read: %1.").arg(first.errorString()), samples.m_file, QString()};
    const QByteArray begin = first.read(1);
    if (!begin.isEmpty() && begin != "{")
        return Error{tr("This is no file with samples of a critical path."), samples.m_file, hint};
    return samples;
}

QString OnlineSamples::folder() const { return QFileInfo(m_file).path(); }

Result<std::vector<OnlineSample>> OnlineSamples::read(qint64 mostBytes)
{
    QFile file(m_file);
    if (mayNeverEnd(m_file) || !QFileInfo(m_file).isFile())  // a pipe would be waited for
        return Error{tr("The file of samples is not there any more."), m_file, QString()};
    if (!file.open(QIODevice::ReadOnly) || !file.seek(m_read))
        return Error{tr("The file cannot be read: %1.").arg(file.errorString()), m_file, QString()};
    if (file.size() < m_read)
        return Error{tr("The file became shorter: another run writes to it."), m_file, tr("Begin anew.")};
    std::vector<OnlineSample> found;
    m_isBehind = false;
    for (const qint64 from = m_read; m_read - from < mostBytes;) {
        const QByteArray line = file.readLine(longestLine + 2);
        if (!line.endsWith('\n') && line.size() <= longestLine) return found;
        Result<OnlineSample> sample = parseSample(line);
        if (!sample)
            return Error{sample.error().what, tr("%1, line %2").arg(m_file, QString::number(m_lines + 1)), QString()};
        found.push_back(std::move(*sample));
        m_read += line.size();
        ++m_lines;
    }
    m_isBehind = true;
    return found;
}

}  // namespace longpole
