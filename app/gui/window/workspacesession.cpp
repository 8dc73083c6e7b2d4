// SPDX-License-Identifier: GPL-3.0-or-later
// How the trace is looked at, as a session in a file keeps it, and back.
#include "app/gui/session/secondtrace.h"
#include "app/gui/session/session.h"
#include "app/gui/window/panels.h"
#include "app/gui/window/workspace.h"

#include <QFileInfo>
#include <QSplitter>

#include <optional>
#include <utility>

namespace longpole {

SavedSession Workspace::savedSession()
{
    noteView();
    const auto absolute = [](const QString& path) {
        return path.isEmpty() ? path : QFileInfo(path).absoluteFilePath();
    };
    QStringList views, onTop;
    for (const PanelDock* dock : m_area->docks()) {
        if (dock->isHidden() || dock->objectName() == QLatin1String(panels::second)) continue;
        views << dock->objectName();
        if (dock->isOnScreen()) onTop << dock->objectName();
    }
    const QList<int> widths = m_columns->sizes();
    return {.trace = absolute(m_session.path()),
            .second = absolute(m_second->path()),
            .stamp = m_state.store().stamp(),
            .begin = m_state.fullRange().begin,
            .side = m_side,
            .marked = m_state.marked(),
            .question = m_session.question(),
            .arrows = m_state.arrows(),
            .thresholds = absolute(m_state.thresholdsFile()),
            .views = views,
            .onTop = onTop,
            .columns = {widths.begin(), widths.end()}};
}

// Views stand where they stand by default: what Qt makes of a layout's bytes is not safe where these come from others.
void Workspace::showViews(const SavedSession& session)
{
    const auto found = [this](const QStringList& ids) {
        std::vector<PanelDock*> docks;
        for (const QString& id : ids)
            if (PanelDock* dock = id == QLatin1String(panels::second) ? nullptr : m_area->find(id))
                docks.push_back(dock);
        return docks;
    };
    const std::vector<PanelDock*> views = found(session.views);
    if (views.empty()) return;
    m_hasSessionLayout = true;
    m_area->resetLayout();
    m_area->exchange(views);
    for (PanelDock* dock : found(session.onTop)) m_area->reveal(*dock);
    if (session.columns.size() == static_cast<std::size_t>(m_columns->count())) {
        m_areColumnsByHand = true;
        m_columns->setSizes({session.columns.begin(), session.columns.end()});
    }
    foldForWidth(width());
}

int Workspace::apply(const SavedSession& saved)
{
    const TimeRange run = m_state.fullRange();
    const bool isOther = saved.stamp != m_state.store().stamp();
    const FittedSession fit = isOther ? fitted(saved, run.begin, run) : FittedSession{.session = saved};
    const SavedSession& session = fit.session;
    showViews(session);
    if (!session.thresholds.isEmpty()) {
        const std::optional<QString> before = std::exchange(m_sessionThresholds, session.thresholds);
        const Result<> read = QFileInfo(session.thresholds).isFile()
                                  ? m_state.setThresholdsFile(session.thresholds)
                                  : Error{.what = tr("The session's file of thresholds is not there."),
                                          .where = session.thresholds,
                                          .hint = tr("The thresholds stay as they are.")};
        if (!read.ok()) {
            m_sessionThresholds = before;
            Q_EMIT failed(read.error());
        }
    }
    showRows(session.side.view);
    m_state.setArrows(session.arrows);
    m_state.setMarked(intersection(session.marked, m_state.limits()));
    m_state.setRange(session.side.range.value_or(m_state.wholeRange()));
    m_session.setModel(session.question.mode, session.question.edges);
    m_session.setRange(intersection(session.question.range, m_state.limits()));
    if (session.question.to) m_session.setTarget(session.question.to);
    // Added to the user's own, never in their place: a stranger's session can bear the stamp of the trace that it came
    // with.
    JoinedBookmarks with = joined(m_side.bookmarks, session.side.bookmarks, m_state.limits());
    if (with.bookmarks != m_side.bookmarks) {
        m_side.bookmarks = std::move(with.bookmarks);
        keepBookmarks();
    }
    if (!session.second.isEmpty() && (!isOther || saved.stamp.isEmpty())) m_second->open(session.second);
    Q_EMIT panelsChanged();
    return fit.dropped + with.outside;
}

}  // namespace longpole
