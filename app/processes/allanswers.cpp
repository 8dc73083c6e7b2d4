// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/allanswers.h"

#include "analysis/mpi/mpiquestions.h"
#include "core/base/translate.h"
#include "distributed/answers/hostedcauses.h"

#include <algorithm>
#include <utility>

namespace longpole {
namespace {

constexpr std::size_t slackListed = 10'000;    // tasks, those with least slack
constexpr std::size_t worstWaitsAdvised = 10;  // of each state, which advice looks at

std::optional<PathPhases> phasesOf(const CriticalPath& path, const Progress& progress)
{
    Result<PathPhases> found = pathPhases(path, PhaseQuestion{}, progress);
    return found ? std::optional(std::move(*found)) : std::nullopt;
}

}  // namespace

bool answerPasses(AnswerPlan& plan, WorkPass& pass, const TraceStore& store, const HostedPath& path,
                  const Progress& progress, AllAnswers& answers, const std::function<void(const char* part)>& done)
{
    const Transport& transport = pass.transport();
    const bool findsSlack = plan.finds(AnswerPart::Slack);
    const bool findsNear = plan.finds(AnswerPart::NearCritical);
    std::optional<TailPass> tails;
    if (findsSlack || findsNear) tails.emplace(pass).run();
    if (findsSlack) {
        Result<HostedSlack> slack = hostedSlack(pass, *tails, slackListed, progress);
        if (!slack) return false;
        if (transport.isRoot()) answers.slack = std::move(*slack);
        done(QT_TRANSLATE_NOOP("longpole", "slack"));
    }
    if (findsNear) {
        Result<HostedNear> near = hostedNearCritical(pass, std::move(*tails), path, store, NearCriticalOptions{},
                                                     progress);
        if (!near) return false;
        if (transport.isRoot()) answers.near = std::move(*near);
        done(QT_TRANSLATE_NOOP("longpole", "near-critical paths"));
    }
    tails.reset();
    if (plan.finds(AnswerPart::Zeroing)) {
        const AnswerWishes& wishes = plan.wishes();
        Result<std::vector<WhatIfAnswer>> gains = hostedZeroing(pass, path.path, wishes.factor, progress,
                                                                wishes.zeroed);
        if (!gains) return false;
        if (transport.isRoot()) answers.gains = std::move(*gains);
        done(QT_TRANSLATE_NOOP("longpole", "what-if"));
    }
    return true;
}

bool answerAll(AnswerPlan& plan, Transport& transport, const HostedTrace& trace, const Progress& progress,
               AllAnswers& answers, const std::function<void(const char* part)>& done, std::size_t worst)
{
    const WaitOptions wanted{.mostWorst = std::max(worst, worstWaitsAdvised), .withCauses = false};
    Result<WaitStates> waits = hostedWaitStates(transport, trace, wanted, progress);
    if (!waits) return false;
    done(QT_TRANSLATE_NOOP("longpole", "waits"));
    if (plan.finds(AnswerPart::Causes)) {
        if (!findHostedCauses(transport, trace, wanted, *waits, progress)) return false;
        done(QT_TRANSLATE_NOOP("longpole", "causes"));
    }
    WorkPass pass(transport, trace, trace.store->info().range(), progress);
    if (!pass.prepare()) return false;
    Result<HostedPath> path = hostedWorkPath(pass, *trace.store, progress);
    if (!path) return false;
    if (plan.finds(AnswerPart::Phases)) {
        auto loop = hostedLoop(transport, *trace.store, progress);
        if (!loop) return false;
        if (transport.isRoot()) {
            answers.phases = phasesOf(path->path, progress);
            if (answers.phases && *loop) setLoop(*answers.phases, (*loop)->loop, (*loop)->marks);
            answers.loop = std::move(*loop);
        }
    }
    done(QT_TRANSLATE_NOOP("longpole", "path"));
    Result<HostedPath> elapsed = hostedElapsedPath(pass, *trace.store, progress);
    if (!elapsed) return false;
    done(QT_TRANSLATE_NOOP("longpole", "elapsed path"));
    if (!answerPasses(plan, pass, *trace.store, *path, progress, answers, done)) return false;
    pass.dropValues();
    if (plan.finds(AnswerPart::Advice)) {
        Result<HostedAdvice> advice = hostedAdvice(pass, trace.store, *waits, path->path, elapsed->path, Thresholds{},
                                                   progress);
        if (!advice) return false;
        done(QT_TRANSLATE_NOOP("longpole", "advice"));
        if (transport.isRoot()) answers.advice = std::move(*advice);
    }
    Result<ProfiledEvents> profiled = hostedProfile(transport, *trace.store, progress);
    if (!profiled) return false;
    done(QT_TRANSLATE_NOOP("longpole", "profile"));
    Result<Efficiency> efficiency = hostedEfficiency(pass, trace, progress);
    if (progress.isCancelled()) transport.fail(cancelledError());
    if (!efficiency || transport.failed()) return false;
    done(QT_TRANSLATE_NOOP("longpole", "efficiency"));
    if (!transport.isRoot()) return true;
    answers.waits = withWorst(std::move(*waits), worst);
    answers.efficiency = std::move(*efficiency);
    answers.profiled = std::move(*profiled);
    answers.path = std::move(*path);
    answers.elapsed = std::move(*elapsed);
    return true;
}

}  // namespace longpole
