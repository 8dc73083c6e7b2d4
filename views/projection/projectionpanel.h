// SPDX-License-Identifier: GPL-3.0-or-later
// What overview and detailed views have in common: the choice of stages, processors and attributes, the projections
// that are asked for, and a line that says what lies under the cursor and how exact it is.
#pragma once

#include "views/projection/attributepicker.h"
#include "views/projection/projectionfeed.h"
#include "views/projection/stagebar.h"
#include "views/state/panelspec.h"
#include "views/state/viewstate.h"

#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QSplitter;
class QToolButton;

namespace longpole {

class PlotFrame;

class ProjectionPanel : public QWidget {
    Q_OBJECT
public:
    ProjectionPanel(ViewState& state, bool severalAttributes, QWidget* parent = nullptr);

    StageBar& bar() const { return *m_bar; }
    AttributePicker& picker() const { return *m_picker; }
    ProjectionFeed& feed() { return m_feed; }
    const ProjectionFeed& feed() const { return m_feed; }
    QString readout() const;
    QString stateText() const;  // "exact", "≈ ...", or what is wrong

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);
    void timelineRequested();  // range and processors are set: they should be seen

protected:
    // What is chosen has changed, and the panel is seen.
    virtual void ask() = 0;
    virtual void showAnswers() = 0;  // something became known
    virtual void recolour() {}       // theme, palette
    virtual void showMarked() = 0;
    virtual void cancelOwn() {}  // work beside the feed's

    ViewState& state() const { return m_state; }
    QSplitter& body() { return *m_body; }
    void outdate();  // asks, now or when it is next shown
    void setReadout(const QString& text);
    // What work there is beside the feed: its progress is shown like the feed's.
    void setOwnWork(bool isWorking, double fraction);
    void setOwnState(const QString& text, bool isError);
    void showState();
    void adopt(PlotFrame& plot);  // exports, leaves
    // About these attributes, as stages, processors and filter are chosen.
    ProjectionQuestion questionOf(std::vector<Attribute> attributes) const;
    bool hasPath() const;  // or none of the chosen attributes needs it; says so otherwise
    // The timeline shows exactly these stages and processors.
    void showInTimeline(TimeRange range, const std::vector<ProcessorId>& pes);
    TimeNs zero() const { return m_state.store().info().begin; }  // of plotted times

    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void createWidgets();
    bool hasNoValue() const;
    void nameChosen();

    ViewState& m_state;
    ProjectionFeed m_feed;
    StageBar* m_bar;
    AttributePicker* m_picker;
    QSplitter* m_body = nullptr;
    QToolButton* m_pick = nullptr;
    QLabel* m_readout = nullptr;
    QLabel* m_stateText = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_cancel = nullptr;
    QString m_ownText;
    bool m_ownIsError = false;
    bool m_ownIsWorking = false;
    double m_ownFraction = 0;
    QElapsedTimer m_ownSince;
    bool m_isOutdated = true;
};

// The `create` of a projection view, which can ask for the timeline of some of its stages and processors.
template <typename PanelType>
QWidget* makeProjectionPanel(PanelHost& host, QWidget* parent)
{
    QWidget* panel = makePanel<PanelType>(host, parent);
    QObject::connect(static_cast<PanelType*>(panel), &ProjectionPanel::timelineRequested, &host,
                     &PanelHost::timelineRequested);
    return panel;
}

}  // namespace longpole
