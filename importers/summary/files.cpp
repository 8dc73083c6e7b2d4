// SPDX-License-Identifier: GPL-3.0-or-later
// Finding the files of a summary run: exact names, base.<digits>.sum and .sumd, base.sum.sts.
#include "importers/summary/files.h"

#include "core/base/translate.h"
#include "importers/common/folderfiles.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace longpole {
namespace {

constexpr QLatin1String symbolsEnding(".sum.sts");

struct SummaryName {
    QString base;
    std::uint64_t pe = 0;
    bool isDetail = false;
};

std::optional<SummaryName> parseSummaryName(const QString& name)
{
    static const QRegularExpression pattern(QStringLiteral("^(.+)\\.([0-9]{1,18})\\.sum(d)?$"),
                                            QRegularExpression::DotMatchesEverythingOption);
    const QRegularExpressionMatch match = pattern.match(name);
    if (!match.hasMatch()) return std::nullopt;
    return SummaryName{match.captured(1), match.captured(2).toULongLong(), !match.captured(3).isEmpty()};
}

struct SummaryFolder {
    std::set<QString> symbols;                                                 // bases of .sum.sts files
    std::map<QString, std::map<std::uint64_t, SummaryFiles::Processor>> runs;  // by base, by pe
    std::set<QString> logged;                                                  // bases of event logs
};

SummaryFolder summariesIn(const QString& path)
{
    static const QRegularExpression log(QStringLiteral("^(.+)\\.[0-9]{1,18}\\.log(\\.gz)?$"));
    SummaryFolder content;
    for (const QFileInfo& file : filesIn(path)) {
        const QString name = file.fileName();
        if (const std::optional<SummaryName> summary = parseSummaryName(name)) {
            SummaryFiles::Processor& processor = content.runs[summary->base][summary->pe];
            processor.pe = summary->pe;
            (summary->isDetail ? processor.detail : processor.summary) = file.absoluteFilePath();
        } else if (name.endsWith(symbolsEnding)) {
            content.symbols.insert(name.chopped(symbolsEnding.size()));
        } else if (const QRegularExpressionMatch match = log.match(name); match.hasMatch()) {
            content.logged.insert(match.captured(1));
        }
    }
    std::erase_if(content.runs, [](const auto& run) {
        return std::none_of(run.second.begin(), run.second.end(),
                            [](const auto& processor) { return !processor.second.summary.isEmpty(); });
    });
    return content;
}

SummaryFiles runOf(const QString& folder, const QString& base, const SummaryFolder& content)
{
    SummaryFiles files{.folder = QDir(folder).absolutePath(), .base = base, .symbols = {}, .processors = {}};
    if (content.symbols.contains(base)) files.symbols = QDir(folder).absoluteFilePath(base + symbolsEnding);
    for (const auto& [pe, processor] : content.runs.at(base)) files.processors.push_back(processor);
    return files;
}

Error noSummaries(const QString& path)
{
    return Error{
        .what = tr("There are no summaries of this run's PEs."),
        .where = path,
        .hint = tr("Expected <program>.<PE>.sum beside it. A single <program>.sum, as +sumonly makes it, holds "
                   "only the mean over all PEs.")};
}

QString baseOf(const QString& name)
{
    if (name.endsWith(symbolsEnding)) return name.chopped(symbolsEnding.size());
    const std::optional<SummaryName> summary = parseSummaryName(name);
    return summary ? summary->base : QString();
}

}  // namespace

ProjectionsFiles SummaryFiles::asRun() const
{
    ProjectionsFiles run;
    run.folder = folder;
    run.base = base;
    run.symbols = symbols;
    for (const Processor& processor : processors)
        for (const QString& path : {processor.summary, processor.detail})
            if (!path.isEmpty()) run.logs.push_back({processor.pe, path, QFileInfo(path).size()});
    return run;
}

Result<SummaryFiles> findSummaryRun(const QString& path)
{
    const QFileInfo file(path);
    if (!file.exists())
        return Error{.what = tr("There is no such file or folder."), .where = path, .hint = tr("Check the name.")};
    const QString folder = file.isDir() ? file.absoluteFilePath() : file.absolutePath();
    if (!QFileInfo(folder).isReadable())
        return Error{.what = tr("The folder could not be read."),
                     .where = folder,
                     .hint = tr("Check its permissions.")};
    const SummaryFolder content = summariesIn(folder);
    if (!file.isDir()) {
        const QString base = baseOf(file.fileName());
        if (!content.runs.contains(base)) return noSummaries(path);
        return runOf(folder, base, content);
    }
    if (content.runs.empty()) return noSummaries(path);
    if (content.runs.size() > 1) {
        QStringList names;
        for (const auto& [base, processors] : content.runs) names += base;
        return Error{.what = tr("The folder holds several runs: %1.").arg(names.join(QStringLiteral(", "))),
                     .where = path,
                     .hint = tr("Name a file of one of them instead of the folder.")};
    }
    return runOf(folder, content.runs.begin()->first, content);
}

bool looksLikeSummary(const QString& path)
{
    const QFileInfo file(path);
    if (file.isDir()) {
        const SummaryFolder content = summariesIn(file.absoluteFilePath());
        return !content.runs.empty() && content.logged.empty();
    }
    const QString name = file.fileName();
    if (!file.isFile()) return false;
    if (parseSummaryName(name)) return true;
    if (!name.endsWith(symbolsEnding)) return name.endsWith(QLatin1String(".sum"));
    // A program called x.sum has x.sum.sts beside its event logs, too.
    const SummaryFolder content = summariesIn(file.absolutePath());
    return content.runs.contains(baseOf(name)) && !content.logged.contains(name.chopped(4));
}

}  // namespace longpole
