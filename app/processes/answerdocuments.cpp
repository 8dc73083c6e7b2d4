// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/answerdocuments.h"

#include "analysis/base/callpaths.h"
#include "analysis/base/cells.h"
#include "analysis/base/json.h"
#include "analysis/base/naming.h"
#include "analysis/mpi/mpiquestions.h"
#include "analysis/paths/countedpath.h"
#include "analysis/report/experttables.h"
#include "analysis/report/pathtables.h"
#include "analysis/report/profiletables.h"
#include "analysis/report/tracetables.h"
#include "analysis/report/whatiftables.h"
#include "app/output/adviceoutput.h"
#include "app/output/nearoutput.h"
#include "app/output/pathoutput.h"
#include "app/output/phaseoutput.h"
#include "app/output/tableoutput.h"
#include "app/output/treeoutput.h"
#include "app/output/waitoutput.h"
#include "app/processes/answerfolder.h"
#include "app/processes/folderanswers.h"
#include "core/trace/format.h"

#include <QDir>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace longpole {

namespace {

QString noWaits() { return tr("No rank waited for another."); }

// Of the processes' traces each holds the calls of its own ranks only: where steps ran came with them.
PathNotes notesOf(const RunAnswers& answers, const std::vector<const HostedPath*>& paths)
{
    using OfTask = std::pair<TaskId, std::uint32_t>;
    auto functions = std::make_shared<std::vector<OfTask>>();
    for (const HostedPath* const path : paths) {
        functions->reserve(functions->size() + path->functions.size());
        for (std::size_t i = 0; i < path->functions.size(); ++i)
            functions->emplace_back(path->path.steps[i].task, path->functions[i]);
    }
    std::ranges::sort(*functions);
    PathNotes notes{.isOneOfMany = true};
    notes.placeOf = [store = answers.trace->store, functions](TaskId task) {
        const auto found = std::ranges::lower_bound(*functions, task, {}, &OfTask::first);
        return found != functions->end() && found->first == task ? pathText(*store, found->second) : QString();
    };
    return notes;
}

// As longpole near-critical finds them. It points to the paths of `answers`, which are too long to be there twice.
NearAnswer nearAnswer(const AllAnswers& answers)
{
    const HostedNear& found = answers.near;
    const auto nearPath = [](const CriticalPath& path, TimeNs slack, TimeNs distinct) {
        return NearCriticalPath{std::shared_ptr<const CriticalPath>(std::shared_ptr<void>(), &path), slack, distinct,
                                processorsOn(path)};
    };
    auto paths = std::make_shared<NearPaths>();
    const CriticalPath& work = answers.path.path;
    if (!work.steps.empty()) paths->push_back(nearPath(work, 0, work.length));
    for (const HostedNearPath& one : found.paths) paths->push_back(nearPath(one.path.path, one.slack, one.distinct));
    NearAnswer answer{.paths = paths};
    if (paths->size() != 1) return answer;
    auto longest = std::make_shared<NearPaths>(*paths);
    if (found.longest)
        longest->push_back(nearPath(found.longest->path.path, found.longest->slack, found.longest->distinct));
    answer.longest = std::move(longest);
    return answer;
}

PathNotes notesOfNear(const RunAnswers& answers)
{
    std::vector<const HostedPath*> paths{&answers.path};
    for (const HostedNearPath& one : answers.near.paths) paths.push_back(&one.path);
    return notesOf(answers, paths);
}

std::vector<TaskSlack> slackRows(const HostedSlack& slack)
{
    std::vector<TaskSlack> rows;
    rows.reserve(slack.least.size());
    for (const HostedTaskSlack& task : slack.least)
        rows.push_back({task.task, task.entry, task.begin, task.end, task.slack});
    return rows;
}

constexpr const char* answerFiles[] = {"info.json",        "profile.json",       "waits.json",
                                       "wait-causes.json", "efficiency.json",    "critical-path.json",
                                       "phases.json",      "elapsed-path.json",  "zeroing.json",
                                       "slack.json",       "near-critical.json", "advise.json",
                                       "tree.json"};

// What repeats along the path, if it could be searched.
PhaseAnswer phaseAnswer(const RunAnswers& answers)
{
    const EdgeLevel edges = answers.merged ? EdgeLevel::Merges : EdgeLevel::Order;
    return {.store = answers.trace->store.get(),
            .title = tr("Repeated phases of the critical path: %1, edges %2")
                         .arg(QLatin1String(name(PathMode::Work)), QLatin1String(name(edges))),
            .found = answers.phases.value_or(PathPhases{}),
            .loop = answers.loop ? std::optional(answers.loop->loop) : std::nullopt};
}

// One document of the folder that --answers names. False after an error, which was printed.
bool writeDocument(const QString& file, const std::function<void(Output&)>& write)
{
    auto output = Output::open(file);
    if (output) write(*output);
    const Result<> finished = output ? output->finish() : Result<>(output.error());
    if (!finished) fail(finished.error());
    return finished.ok();
}

void writeWaitsText(Output& output, const RunAnswers& answers)
{
    const TraceStore& store = *answers.trace->store;
    writeWaits(output, OutputFormat::Text, store, answers.waits, noWaits());
    if (answers.waits.total > 0 && !answers.lacks(AnswerPart::Causes)) {
        output.write(QString(QLatin1Char('\n') + tr("The code that others waited for:") + QLatin1Char('\n')));
        writeCauseRows(output, store, answers.waits);
    }
    output.write(QByteArray("\n"));
}

void writeGains(Output& output, const RunAnswers& answers)
{
    const TraceStore& store = *answers.trace->store;
    const QString change = answers.factor.numerator == 0 ? tr("costs nothing")
                                                         : tr("takes %1 times as long").arg(toText(answers.factor));
    output.write(QString(QLatin1Char('\n')
                         + store.words()
                               .say(tr("What the path gains if an entry method %1:"),
                                    tr("What the path gains if a region %1:"))
                               .arg(change)
                         + QLatin1Char('\n')));
    if (answers.path.path.profile.size() > answers.gains.size())
        output.write(tr("Of %1 on the path, the %2 with the most time on it.")
                         .arg(formatCount(std::ssize(answers.path.path.profile)),
                              formatCount(std::ssize(answers.gains)))
                     + QLatin1Char('\n'));
    output.write(QByteArray("\n"));
    const auto table = whatIfTable(store, answers.path.path.length)
                           .only({"entry", "share_ns", "net_ns", "gain_ns", "gain", "next_critical"});
    writeTable(output, OutputFormat::Text, table, answers.gains, store);
}

// "causes, advice; near-critical for want of time".
QString leftOutText(const AllAnswers& answers)
{
    const QStringList names = answerPartNames();
    QStringList wanted, late;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const auto place = static_cast<std::size_t>(i);
        if (answers.leftOut[place]) (answers.late[place] ? late : wanted) << names[i];
    }
    QStringList texts;
    if (!wanted.isEmpty()) texts << wanted.join(QStringLiteral(", "));
    if (!late.isEmpty()) texts << tr("for want of time: %1").arg(late.join(QStringLiteral(", ")));
    return texts.join(QStringLiteral("; "));
}

}  // namespace

Result<> checkDocuments(const QString& folder, const QString& run)
{
    return checkAnswerFolder(folder, run, answerFiles);
}

ExitCode writeDocuments(const QString& folder, const QString& run, const RunAnswers& answers)
{
    const TraceStore& store = *answers.trace->store;
    const bool isOfRanks = store.info().hasRanks();
    const bool hasAdvice = answers.advice.expert != nullptr;
    if (!QDir().mkpath(folder)) return fail({tr("The folder cannot be made."), folder, {}});
    const auto json = OutputFormat::Json;
    const auto path = [&](const HostedPath& found) {
        return [&](Output& output) { writePath(output, json, store, found.path, notesOf(answers, {&found})); };
    };
    const struct {
        const char* name;
        bool isGiven;
        std::function<void(Output&)> write;
    } documents[] = {
        {"info.json", true, [&](Output& output) { output.write(dump(rowJson(traceTable(store), store, &store))); }},
        {"profile.json", true,
         [&](Output& output) {
             const auto table = profileTable(store).only({keyOf(ProfileBy::Entry), "count", "time_ns", "exclusive_ns",
                                                          "share", "messages", "bytes"});
             writeTable(output, json, table, profileOf(store, ProfileBy::Entry, answers.profiled), store);
         }},
        {"waits.json", isOfRanks, [&](Output& output) { writeWaits(output, json, store, answers.waits, noWaits()); }},
        {"wait-causes.json", isOfRanks && !answers.lacks(AnswerPart::Causes),
         [&](Output& output) { writeCauses(output, json, store, answers.waits, noWaits()); }},
        {"critical-path.json", true, path(answers.path)},
        {"elapsed-path.json", true, path(answers.elapsed)},
        {"phases.json", answers.phases.has_value(),
         [&](Output& output) { writePhases(output, json, phaseAnswer(answers), PhaseOptions{}); }},
        {"near-critical.json", !answers.lacks(AnswerPart::NearCritical),
         [&](Output& output) { writeNear(output, json, store, nearAnswer(answers), notesOfNear(answers)); }},
        {"advise.json", hasAdvice, [&](Output& output) { writeAdvice(output, json, store, *answers.advice.expert); }},
        {"tree.json", hasAdvice, [&](Output& output) { writeTree(output, json, store, answers.advice.expert->tree); }},
        {"slack.json", !answers.lacks(AnswerPart::Slack),
         [&](Output& output) { writeTable(output, json, slackTable(store), slackRows(answers.slack), store); }},
        {"zeroing.json", !answers.lacks(AnswerPart::Zeroing),
         [&](Output& output) {
             const auto table = whatIfTable(store).only({"entry", "share_ns", "net_ns", "gain_ns", "next_critical"});
             output.write(dump(rowsJson(table, answers.gains, &store)));
         }},
        {"efficiency.json", true,
         [&](Output& output) {
             const EfficiencyPhase whole{answers.efficiency.range, tr("all"), answers.efficiency};
             JsonValue all = rowJson(efficiencyTable(store), whole, &store);
             all.erase("name");
             output.write(dump(all));
         }},
    };
    auto part = AnswersPart::begin(folder, answerFiles);
    if (!part) return fail(part.error());
    // What another analysis has written until then.
    if (const Result<> writable = checkDocuments(folder, run); !writable) return fail(writable.error());
    std::vector<const char*> written;
    for (const auto& document : documents) {
        if (!document.isGiven) continue;
        written.push_back(document.name);
        if (!writeDocument(part->fileOf(document.name), document.write)) return ExitCode::BadInput;
    }
    if (const Result<> published = part->publish(written); !published) return fail(published.error());
    return ExitCode::Fine;
}

void writeAnswers(Output& output, const RunAnswers& answers)
{
    const TraceStore& store = *answers.trace->store;
    const TraceInfo& info = store.info();
    const auto line = [&](const QString& name, const QString& value) {
        output.write(QString(name.leftJustified(15) + value + QLatin1Char('\n')));
    };
    line(tr("Program"), onOneLine(info.program));
    line(tr("Duration"), formatTime(info.duration()));
    const Vocabulary words = store.words();
    line(words.say(tr("PEs"), tr("Ranks")), formatCount(info.processors));
    line(tr("Tasks"), formatCount(info.tasks));
    line(tr("Messages"), words.say(tr("%1, %2 of them seen executed"), tr("%1, %2 of them seen received"))
                             .arg(formatCount(info.messages), formatCount(info.messagesMatched)));
    line(tr("Records"), formatCount(info.records));
    line(tr("Busy"), formatTime(info.busy));
    line(tr("Idle"), formatTime(info.idle));
    line(tr("Overhead"), formatTime(info.overhead()));
    line(tr("Work path"), tr("%1, %2 of the duration")
                              .arg(formatTime(answers.path.path.length),
                                   formatShare(ratio(double(answers.path.path.length), double(info.duration())))));
    line(tr("Efficiency"),
         tr("%1 parallel: %2 load balance, %3 serialization, %4 transfer")
             .arg(formatShare(answers.efficiency.parallel), formatShare(answers.efficiency.loadBalance),
                  formatShare(answers.efficiency.serialization), formatShare(answers.efficiency.transfer)));
    output.write(QByteArray("\n"));
    if (store.issues().empty()) {
        line(tr("Health"), tr("nothing was skipped or repaired"));
    } else {
        writeTable(output, OutputFormat::Text, issueTable(store), store.issues(), store);
    }
    output.write(QByteArray("\n"));
    if (info.hasRanks()) writeWaitsText(output, answers);
    writePath(output, OutputFormat::Text, store, answers.path.path, notesOf(answers, {&answers.path}));
    if (answers.phases) {
        output.write(QByteArray("\n"));
        writePhases(output, OutputFormat::Text, phaseAnswer(answers), PhaseOptions{});
    }
    output.write(QString(QLatin1Char('\n') + tr("What the elapsed path spends the duration on:") + QLatin1Char('\n')));
    writeTable(output, OutputFormat::Text, pathPartTable(store, answers.elapsed.path.length),
               spoken(answers.elapsed.path.parts, store.words()), store);
    if (!answers.lacks(AnswerPart::Zeroing)) writeGains(output, answers);
    output.write(QByteArray("\n"));
    if (!answers.lacks(AnswerPart::Slack))
        line(tr("Slack"),
             tr("%1 of %2 tasks have none").arg(formatCount(answers.slack.without), formatCount(answers.slack.tasks)));
    if (!answers.lacks(AnswerPart::NearCritical)) line(tr("Next path"), takeoverText(nearAnswer(answers)));
    if (answers.leftOut.any()) line(tr("Left out"), leftOutText(answers));
    output.write(QByteArray("\n"));
    if (answers.advice.expert) writeAdvice(output, OutputFormat::Text, store, *answers.advice.expert);
    if (answers.notFound)
        output.write(tr("Phases or advice were not found: %1").arg(answers.notFound->what) + QLatin1Char('\n'));
    if (info.tasks > mostTasksAtOnce && !info.hasRanks())
        output.write(tr("Phases and advice look at all PEs at once: of runs of more than %1 tasks they are not looked "
                        "for here.")
                         .arg(formatCount(mostTasksAtOnce))
                     + QLatin1Char('\n'));
}

}  // namespace longpole
