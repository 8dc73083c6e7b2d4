// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path in numbers: its profile, by entry method for example, beside the table of its steps. A chosen row
// shows in the timeline, and what is selected there is selected in the steps.
#pragma once

#include "analysis/paths/pathquestions.h"
#include "core/base/result.h"
#include "views/drawing/basics/palette.h"
#include "views/state/watch.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLabel;

namespace longpole {

class PathShareTable;
class SideBySide;
class TableView;
class ViewState;

class CriticalPathPanel : public QWidget {
    Q_OBJECT
public:
    explicit CriticalPathPanel(ViewState& state, QWidget* parent = nullptr);

    // The text to show while there is no path yet ("Loading tasks ...") or instead of one (an error); empty: none.
    void setNotice(const QString& text);

    PathShareTable& profile() { return *m_profile; }
    TableView& steps() { return *m_steps; }

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);

protected:
    void changeEvent(QEvent* event) override;

private:
    void createWidgets();
    void showPath();
    void showSummary();
    void findUpperEnd();
    void showSteps(const std::shared_ptr<const CriticalPath>& path);
    void followSelection();
    void choose(std::size_t step);

    ViewState& m_state;
    QString m_notice;
    QString m_profileNotice;
    std::optional<TimeNs> m_withMerges;  // for a path over messages alone: its length if inferred merges count too
    std::shared_ptr<const Palette> m_palette;
    QLabel* m_summary = nullptr;
    SideBySide* m_tables = nullptr;
    PathShareTable* m_profile = nullptr;
    TableView* m_steps = nullptr;
    Watch<PathQuestion> m_bounding;
};

}  // namespace longpole
