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

// What all processes find together, each of its PEs.
bool answerTogether(AnswerPlan& plan, Transport& transport, const HostedTrace& trace, const Progress& progress,
                    AllAnswers& answers)
{
    WorkPass pass(transport, trace, trace.store->info().range(), progress);
    if (!pass.prepare()) return false;
    Result<HostedPath> path = hostedWorkPath(pass, *trace.store, progress);
    if (!path) return false;
    Result<HostedPath> elapsed = hostedElapsedPath(pass, *trace.store, progress);
    if (!elapsed) return false;
    if (!answerPasses(plan, pass, *trace.store, *path, progress, answers, [](const char*) {})) return false;
    pass.dropValues();
    Result<ProfiledEvents> profiled = hostedProfile(transport, *trace.store, progress);
    if (!profiled) return false;
    Result<Efficiency> efficiency = hostedEfficiency(pass, trace, progress);
    if (progress.isCancelled()) transport.fail(cancelledError());
    if (!efficiency || transport.failed()) return false;
    if (!transport.isRoot()) return true;
    answers.path = std::move(*path);
    answers.elapsed = std::move(*elapsed);
    answers.efficiency = std::move(*efficiency);
    answers.profiled = std::move(*profiled);
    return true;
}

// What looks at all PEs at once. What cannot be answered is left out, be it that a run has no tasks or that its graph
// does not fit the memory. Error: cancelled.
Result<> answerAtOnce(std::shared_ptr<const TraceStore> whole, bool findsPhases, bool findsAdvice,
                      const Progress& progress, AllAnswers& answers)
{
    Results results(std::move(whole));
    if (findsPhases) {
        const PathPhasesQuestion question{.path = {.edges = EdgeLevel::Merges}, .phases = {}};
        const auto merged = results.ask(question.path, progress);
        const auto phases = results.ask(question, progress);
        if (merged.ok()) answers.merged = **merged;
        if (phases.ok()) answers.phases = **phases;
        else answers.notFound = phases.error();
    }
    if (findsAdvice) {
        const auto expert = results.ask(ExpertQuestion{}, progress);
        if (expert.ok()) answers.advice.expert = *expert;
        else if (!answers.notFound) answers.notFound = expert.error();
    }
    if (progress.isCancelled()) return cancelledError();
    return Unit{};
}

}  // namespace

bool answerFolder(AnswerPlan& plan, Transport& transport, const HostedTrace& trace, const QString& scratch,
                  const Progress& progress, AllAnswers& answers)
{
    if (!answerTogether(plan, transport, trace, progress, answers)) return false;
    if (trace.store->info().tasks > mostTasksAtOnce) return true;
    const bool findsPhases = plan.finds(AnswerPart::Phases);
    const bool findsAdvice = plan.finds(AnswerPart::Advice);
    if (!findsPhases && !findsAdvice) return true;
    giveFreedMemoryBack();
    const Result<std::shared_ptr<const TraceStore>> whole = gatheredTrace(transport, trace, scratch, progress);
    if (!whole) return false;
    if (transport.isRoot())
        if (const Result<> answered = answerAtOnce(*whole, findsPhases, findsAdvice, progress, answers); !answered)
            transport.fail(answered.error());
    return !transport.failed();
}

}  // namespace longpole
