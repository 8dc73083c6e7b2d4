// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/navigationquestions.h"

namespace longpole {

namespace {

std::optional<TaskId> leadingTask(const TraceStore& store, const NavigationQuestion& question)
{
    const TaskId task = question.from.task;
    switch (question.leading) {
    case Leading::Culprit: return {};
    case Leading::Neighbour: return neighbourOnRow(store, task, question.step);
    case Leading::SameEntry: return neighbourOfEntry(store, task, question.step);
    case Leading::Message:
        if (question.step < 0) return sourceTask(store, task);
        return question.graph ? startedTask(*question.graph, task) : std::nullopt;
    }
    return {};
}

// A call that waited leads back to what it waited for, as a task does to its sender.
std::optional<MpiCallId> leadingCall(const TraceStore& store, const NavigationQuestion& question)
{
    const MpiCallId call = question.from.call;
    switch (question.leading) {
    case Leading::Culprit: return culpritCall(store, call);
    case Leading::Neighbour: return neighbourCall(store, call, question.step);
    case Leading::SameEntry: return {};
    case Leading::Message: return question.step < 0 ? culpritCall(store, call) : std::nullopt;
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<const PlaceQuestion::Answer>> PlaceQuestion::compute(Results& results, const Progress&) const
{
    return std::make_shared<const Answer>(placeOf(results.store(), selection));
}

Result<std::shared_ptr<const Selection>> NavigationQuestion::compute(Results& results, const Progress&) const
{
    Selection found;
    if (from.task.isValid()) {
        if (const auto task = leadingTask(results.store(), *this)) found.task = *task;
    } else if (from.call.isValid()) {
        if (const auto call = leadingCall(results.store(), *this)) found.call = *call;
    }
    return std::make_shared<const Selection>(found);
}

}  // namespace longpole
