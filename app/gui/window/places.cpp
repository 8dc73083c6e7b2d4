// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/places.h"

#include "analysis/mpi/calls.h"
#include "analysis/mpi/calltree.h"
#include "core/base/translate.h"
#include "core/store/tracestore.h"
#include "core/trace/storedanswers.h"

namespace longpole {

namespace {

#define TEXT(text) QT_TRANSLATE_NOOP("Actions", text)

constexpr PlaceSpec allPlaces[] = {
    {PanelGroup::Timeline, "place.timeline", TEXT("&Timeline"), TEXT("What happened when?"),
     TEXT("Timeline: all its views"), "&Window/&Timeline", "Alt+1"},
    {PanelGroup::WhySlow, "place.whySlow", TEXT("Why &slow"), TEXT("What takes the time, and what to change first?"),
     TEXT("Why slow: all its views"), "&Window/Why &slow", "Alt+2"},
    {PanelGroup::WhatIf, "place.whatIf", TEXT("What &if"), TEXT("What would a change gain?"),
     TEXT("What if: all its views"), "&Window/What &if", "Alt+3"},
    {PanelGroup::Compare, "place.compare", TEXT("&Compare"), TEXT("What differs from another run, or a replay?"),
     TEXT("Compare: all its views"), "&Window/&Compare", "Alt+4"},
    {PanelGroup::Data, "place.data", TEXT("&Data"), TEXT("What is recorded, in figures and tables?"),
     TEXT("Data: all its views"), "&Window/&Data", "Alt+5"},
};

#undef TEXT

}  // namespace

std::span<const PlaceSpec> places() { return allPlaces; }

QString placeKey() { return QStringLiteral("place"); }

const PlaceSpec& placeOf(PanelGroup group) { return allPlaces[static_cast<std::size_t>(group)]; }

QString panelQuestion(Vocabulary words, const PanelSpec& panel)
{
    return tr("%1  ·  %2").arg(panelText(words, panel.question), panelText(words, panel.command));
}

Result<> requireNeeds(PanelNeeds needs, const TraceStore& store)
{
    switch (needs) {
    case PanelNeeds::Nothing: break;
    case PanelNeeds::Events: return requireEvents(store);
    case PanelNeeds::Ranks:
        if (const Result<> ranks = requireRanks(store); !ranks) return ranks;
        return store.info().isPart() ? requireEvents(store) : Result<>(Unit{});
    case PanelNeeds::Queues:
        if (store.hasEvents() && store.info().hasRanks())
            return Error{tr("The ranks of an MPI program decide themselves what comes next."),
                         {},
                         tr("This view is about queues of tasks, which a Charm++ program has.")};
        return requireEvents(store);
    case PanelNeeds::Answers: return store.answers().isThere() ? Result<>(Unit{}) : requireEvents(store);
    case PanelNeeds::RankAnswers:
        return requireNeeds(store.answers().isThere() ? PanelNeeds::Answers : PanelNeeds::Ranks, store);
    case PanelNeeds::CallPaths:
        if (const Result<> ranks = requireNeeds(PanelNeeds::Ranks, store); !ranks) return ranks;
        return requireCallPaths(store);
    }
    return Unit{};
}

QString lackOf(PanelNeeds needs, const TraceStore& store)
{
    if (requireNeeds(needs, store).ok()) return {};
    if (store.info().isPart()) return tr("needs all events: this trace has those of parts of the run");
    switch (needs) {
    case PanelNeeds::Nothing: break;
    case PanelNeeds::Events:
    case PanelNeeds::Answers: return tr("needs event logs: this trace is a summary");
    case PanelNeeds::Ranks:
    case PanelNeeds::RankAnswers: return tr("needs the trace of an MPI program");
    case PanelNeeds::CallPaths: return tr("needs the call stacks of an MPI program");
    case PanelNeeds::Queues: return tr("needs event logs of a Charm++ program");
    }
    return {};
}

}  // namespace longpole
