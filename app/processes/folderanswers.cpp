// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/folderanswers.h"

#include "analysis/expert/expertquestions.h"
#include "analysis/paths/pathquestions.h"
#include "analysis/phases/phasequestions.h"
#include "core/base/freedmemory.h"
#include "distributed/recording/wholetrace.h"

#include <memory>
#include <utility>

namespace longpole {
namespace {

constexpr std::size_t slackListedOfFolder = 10'000;  // tasks, those with least slack

// What all processes find together, each of its PEs.
bool answerTogether(Transport& transport, const HostedTrace& trace, const Progress& progress, AllAnswers& answers)
{
    WorkPass pass(transport, trace, trace.store->info().range(), progress);
    if (!pass.prepare()) return false;
    Result<HostedPath> path = hostedWorkPath(pass, *trace.store, progress);
    if (!path) return false;
    Result<HostedPath> elapsed = hostedElapsedPath(pass, *trace.store, progress);
    if (!elapsed) return false;
    TailPass tails(pass);
    tails.run();
    Result<HostedSlack> slack = hostedSlack(pass, tails, slackListedOfFolder, progress);
    if (!slack) return false;
    Result<HostedNear> near = hostedNearCritical(pass, std::move(tails), *path, *trace.store, NearCriticalOptions{},
                                                 progress);
    if (!near) return false;
    Result<std::vector<WhatIfAnswer>> gains = hostedZeroing(pass, path->path, {0, 1}, progress);
    if (!gains) return false;
    pass.dropValues();
    Result<ProfiledEvents> profiled = hostedProfile(transport, *trace.store, progress);
    if (!profiled) return false;
    Result<Efficiency> efficiency = hostedEfficiency(pass, trace, progress);
    if (progress.isCancelled()) transport.fail(cancelledError());
    if (!efficiency || transport.failed()) return false;
    if (!transport.isRoot()) return true;
    answers.path = std::move(*path);
    answers.elapsed = std::move(*elapsed);
    answers.slack = std::move(*slack);
    answers.near = std::move(*near);
    answers.gains = std::move(*gains);
    answers.efficiency = std::move(*efficiency);
    answers.profiled = std::move(*profiled);
    return true;
}

// What looks at all PEs at once. What cannot be answered is left out, be it that a run has no tasks or that its graph
// does not fit the memory. Error: cancelled.
Result<> answerAtOnce(std::shared_ptr<const TraceStore> whole, const Progress& progress, AllAnswers& answers)
{
    Results results(std::move(whole));
    const PathPhasesQuestion question{.path = {.edges = EdgeLevel::Merges}, .phases = {}};
    const auto merged = results.ask(question.path, progress);
    const auto phases = results.ask(question, progress);
    const auto expert = results.ask(ExpertQuestion{}, progress);
    if (progress.isCancelled()) return cancelledError();
    if (merged.ok()) answers.merged = **merged;
    if (phases.ok()) answers.phases = **phases;
    if (expert.ok()) answers.advice.expert = *expert;
    if (!phases.ok()) answers.notFound = phases.error();
    else if (!expert.ok()) answers.notFound = expert.error();
    return Unit{};
}

}  // namespace

bool answerFolder(Transport& transport, const HostedTrace& trace, const QString& scratch, const Progress& progress,
                  AllAnswers& answers)
{
    if (!answerTogether(transport, trace, progress, answers)) return false;
    if (trace.store->info().tasks > mostTasksAtOnce) return true;
    giveFreedMemoryBack();
    const Result<std::shared_ptr<const TraceStore>> whole = gatheredTrace(transport, trace, scratch, progress);
    if (!whole) return false;
    if (transport.isRoot())
        if (const Result<> answered = answerAtOnce(*whole, progress, answers); !answered)
            transport.fail(answered.error());
    return !transport.failed();
}

}  // namespace longpole
