// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/timelinemenu.h"

#include "analysis/base/naming.h"
#include "app/gui/session/session.h"
#include "core/base/timerange.h"
#include "core/base/translate.h"
#include "core/trace/format.h"
#include "views/state/mpicallwords.h"
#include "views/state/tasknavigation.h"
#include "views/timeline/colourmenu.h"
#include "views/timeline/gestures.h"
#include "views/timeline/rowmodel.h"
#include "views/timeline/view.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QWidgetAction>

#include <algorithm>
#include <cmath>
#include <map>

namespace longpole {

namespace {

// A title: what the menu is of. (Menus of style sheets do not paint the text of QMenu::addSection.)
void addTitle(QMenu& menu, const QString& text)
{
    auto* label = new QLabel(&menu);
    label->setObjectName(QStringLiteral("menuTitle"));
    label->setTextFormat(Qt::PlainText);
    label->setText(label->fontMetrics().elidedText(text, Qt::ElideMiddle, 460));
    label->setToolTip(text);
    auto* action = new QWidgetAction(&menu);
    action->setDefaultWidget(label);
    action->setEnabled(false);
    menu.addAction(action);
    menu.addSeparator();
}

// Long names of entry methods do not make a menu as wide as the screen, and an & in them no shortcut.
QString shortened(const QMenu& menu, const QString& name)
{
    return menu.fontMetrics().elidedText(name, Qt::ElideMiddle, 320).replace(QLatin1Char('&'), QStringLiteral("&&"));
}

void addTaskActions(QMenu& menu, Session& session, TimelineView& timeline, const TimelineHit& hit)
{
    const TaskId id = hit.task;
    ViewState& state = *session.view();
    const Result<TaskDetail> task = state.store().task(id);
    const Entry* entry = task.ok() ? state.store().entry(task->entry) : nullptr;
    const QString name = entry ? entryName(*entry) : longpole::toText(id);
    QString title = tr("%1 · task %2").arg(name, longpole::toText(id));
    if (hit.oneOfMany)
        title = tr("The longest of %1 tasks here: %2").arg(formatCount(std::llround(hit.summary.tasks)), title);
    addTitle(menu, title);
    menu.addAction(tr("Critical path to this task"), &session, [&session, id] { session.setTarget(id); });
    menu.addAction(tr("Zoom to it"), &timeline, [&timeline, &state, id] {
        state.reveal(Selection{.task = id, .message = {}});
        timeline.gestures().fitSelection();
    });
    if (task.ok() && task->source.isValid())
        menu.addAction(tr("Go to its source, task %1").arg(longpole::toText(task->source)), &state,
                       [&state, source = task->source] { state.reveal(Selection{.task = source, .message = {}}); });
    if (entry)
        menu.addAction(tr("Dim all but %1").arg(shortened(menu, name)), &state,
                       [&state, name] { state.setFilter(ViewState::filterOf(name)); });
    if (entry && state.colour() != ColourMode::Slack)
        fillColourMenu(*menu.addMenu(tr("Colour of %1").arg(shortened(menu, name))), state,
                       colourName(*entry, state.paletteOptions().by));
    menu.addSeparator();
    menu.addAction(tr("Copy the task's id"), &state,
                   [id] { QApplication::clipboard()->setText(longpole::toText(id)); });
}

void addCallActions(QMenu& menu, ViewState& state, TimelineView& timeline, MpiCallId id)
{
    const Result<std::optional<MpiCallRow>> call = mpiCall(state.store(), id.rank, id.seq);
    if (!call.ok() || !*call) return;
    const QString name = callName(state.store(), (*call)->region);
    addTitle(menu, tr("%1 · call %2 of rank %3").arg(name, formatCount(id.seq), QString::number(id.rank)));
    menu.addAction(tr("Zoom to it"), &timeline, [&timeline, &state, id] {
        state.reveal({.call = id});
        timeline.gestures().fitSelection();
    });
    if (const std::optional<MpiCallId> culprit = culpritCall(state.store(), id))
        menu.addAction(tr("Go to rank %1, which it waited for").arg(culprit->rank), &state,
                       [&state, culprit = *culprit] { state.reveal({.call = culprit}); });
    menu.addAction(tr("Dim all but %1").arg(shortened(menu, name)), &state,
                   [&state, name] { state.setFilter(ViewState::filterOf(name)); });
    menu.addSeparator();
}

}  // namespace

void fillTimelineMenu(QMenu& menu, Session& session, TimelineView& timeline, const TimelineHit& hit,
                      const ShowSource& showSource)
{
    ViewState& state = *session.view();
    const Selection selection = hit.call.isValid() ? Selection{.call = hit.call} : Selection{.task = hit.task};
    if (hit.call.isValid()) addCallActions(menu, state, timeline, hit.call);
    else if (hit.task.isValid()) addTaskActions(menu, session, timeline, hit);
    else if (hit.summary.tasks >= 1.5)
        addTitle(menu, tr("%1 tasks here: zoom in for one").arg(formatCount(std::llround(hit.summary.tasks))));
    if (showSource && selection.isValid())
        menu.addAction(tr("Where in the source"), &timeline, [showSource, selection] { showSource(selection); });
    const TimeNs zero = state.fullRange().begin;
    menu.addAction(tr("Copy the time %1").arg(formatTimeAt(hit.time - zero, std::max<TimeNs>(1, hit.pixel.length()))),
                   &state, [time = hit.time - zero] { QApplication::clipboard()->setText(QString::number(time)); });
    menu.addSeparator();
    if (!state.marked().isEmpty())
        menu.addAction(tr("Critical path of the marked range"), &session,
                       [&session, range = state.marked()] { session.setRange(range); });
    if (!state.marked().isEmpty())
        menu.addAction(tr("Zoom to the marked range"), &timeline, [&timeline] { timeline.gestures().zoomToMarked(); });
    menu.addAction(tr("Whole run"), &timeline, [&timeline] { timeline.gestures().wholeRun(); });
}

void showTimelineMenu(Session& session, TimelineView& timeline, const TimelineHit& hit, const QPoint& at,
                      const ShowSource& showSource)
{
    QMenu menu(&timeline);
    fillTimelineMenu(menu, session, timeline, hit, showSource);
    menu.exec(at);
}

namespace {

// All rows below PEs or ranks at once: threads, streams, user events.
void addFolding(QMenu& menu, RowModel& rows, Vocabulary words)
{
    const auto isAbove = [](const TimelineRow& row) { return row.foldable && row.kind != RowKind::Group; };
    const bool any = std::any_of(rows.rows().begin(), rows.rows().end(), isAbove);
    if (!any) return;
    const auto setFolded = [&rows, isAbove](bool isFolded) {
        RowChoice choice = rows.choice();
        for (const TimelineRow& row : rows.rows()) {
            if (!isAbove(row)) continue;
            if (isFolded) choice.folded.insert(row.track);
            else choice.folded.erase(row.track);
        }
        rows.setChoice(choice);
    };
    menu.addAction(words.say(tr("Fold the rows below PEs"), tr("Fold the threads of all ranks")), &rows,
                   [setFolded] { setFolded(true); });
    menu.addAction(words.say(tr("Unfold the rows below PEs"), tr("Unfold the threads of all ranks")), &rows,
                   [setFolded] { setFolded(false); });
    menu.addSeparator();
}

}  // namespace

void showRowMenu(ViewState& state, TimelineView& timeline, std::size_t row, const QPoint& at)
{
    QMenu menu(&timeline);
    RowModel& rows = timeline.rows();
    if (row < rows.rows().size()) {
        const TrackId track = rows.rows()[row].track;
        menu.addAction(tr("Pin or unpin this row"), &rows, [&rows, track] { rows.togglePin(track); });
        if (rows.rows()[row].foldable)
            menu.addAction(rows.rows()[row].folded ? tr("Unfold") : tr("Fold"), &rows,
                           [&rows, track] { rows.toggleFold(track); });
        if (const std::optional<ProcessorId> pe = rows.rows()[row].pe)
            menu.addAction(tr("Only this row"), &state, [&state, pe] { state.setProcessors({*pe}); });
        if (!state.processors().empty()) menu.addAction(tr("All rows"), &state, [&state] { state.setProcessors({}); });
        menu.addSeparator();
    }
    addFolding(menu, rows, state.store().words());
    const auto add = [&](const QString& text, TimelineOrder order) {
        menu.addAction(text, &timeline,
                       [&state, &timeline, order] { timeline.setRowOrder(orderedProcessors(state, order)); });
    };
    add(tr("Order rows as traced"), TimelineOrder::AsTraced);
    add(tr("Most idle rows first"), TimelineOrder::MostIdleFirst);
    add(tr("Rows with most of the critical path first"), TimelineOrder::MostOnPathFirst);
    menu.exec(at);
}

std::vector<ProcessorId> orderedProcessors(const ViewState& state, TimelineOrder order)
{
    if (order == TimelineOrder::AsTraced) return {};
    std::map<ProcessorId, TimeNs> weight;
    for (const Processor& processor : state.store().processors())
        weight[processor.pe] = order == TimelineOrder::MostIdleFirst ? processor.idle : 0;
    if (order == TimelineOrder::MostOnPathFirst && state.path())
        for (const PathStep& step : state.path()->steps) addSaturating(weight[step.pe], step.weight());
    std::vector<ProcessorId> pes;
    pes.reserve(weight.size());
    for (const auto& [pe, time] : weight) pes.push_back(pe);
    std::stable_sort(pes.begin(), pes.end(), [&](ProcessorId a, ProcessorId b) { return weight[a] > weight[b]; });
    return pes;
}

}  // namespace longpole
