// SPDX-License-Identifier: GPL-3.0-or-later
// A part of the activity graph as a picture: the tasks of the marked or visible range, or the path to the selected task
// with its neighbours; at most 500 tasks.
#pragma once

#include "analysis/paths/taskquestions.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <QTimer>

#include <memory>

class QLineEdit;
class QPushButton;

namespace longpole {

class GraphCanvas;
class ViewState;

enum class GraphOf : std::uint8_t { Range, Path };

class GraphPanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit GraphPanel(ViewState& state, QWidget* parent = nullptr);

    GraphCanvas& canvas() { return *m_canvas; }
    QLineEdit& processors() { return *m_processors; }
    GraphOf shows() const { return m_of; }
    void setShows(GraphOf of);

    // Writes the format that the ending says: .png, .svg, .dot or .csv. Errors: another ending; not writable.
    Result<> write(const QString& file) const;

protected:
    bool begin() override;
    void stop() override { m_job.cancel(); }
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    using Answer = Watch<SubgraphQuestion>::Answer;

    void createHead();
    SubgraphChoice choice() const;
    void choiceChanged();  // asks for a new picture if it would differ
    void accept(const Answer& answer);
    QString summary() const;
    QString tasksText() const;
    void exportAs(const QString& ending, const QString& filter);
    void followSelection();

    ViewState& m_state;
    GraphCanvas* m_canvas;
    QPushButton* m_range;
    QPushButton* m_path;
    QLineEdit* m_processors;
    GraphOf m_of = GraphOf::Range;
    std::vector<ProcessorId> m_pes;
    SubgraphChoice m_shown;  // what the picture was asked for
    EdgeLevel m_level = EdgeLevel::Order;
    QTimer m_settling;  // waits until ranges stop moving
    Watch<SubgraphQuestion> m_job;
};

}  // namespace longpole
