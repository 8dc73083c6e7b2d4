// SPDX-License-Identifier: GPL-3.0-or-later
// The base of overview, detailed view and animation: the choice of stages, processors and attributes, the projections
// that are asked for, and a line that says what lies under the cursor and how exact the picture is.
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
    QString stateText() const;  // "exact", "≈ ...", or an error

Q_SIGNALS:
    void exportFailed(const longpole::Error& error);
    void timelineRequested();  // the view state's range and processors are set and should be seen

protected:
    // Asks the feed for what is chosen. Called after the choice has changed, when the panel shows.
    virtual void ask() = 0;
    virtual void showAnswers() = 0;  // the feed's answers have changed
    virtual void recolour() {}       // the theme or the palette has changed
    virtual void showMarked() = 0;
    virtual void cancelOwn() {}  // stops work that is not the feed's

    ViewState& state() const { return m_state; }
    QSplitter& body() { return *m_body; }
    void outdate();  // calls ask(), at once or when the panel is next shown
    void setReadout(const QString& text);
    // Tells of work that is not the feed's, whose progress is shown like the feed's.
    void setOwnWork(bool isWorking, double fraction);
    void setOwnState(const QString& text, bool isError);
    void showState();
    void adopt(PlotFrame& plot);  // passes its export errors on; clears the readout when the mouse leaves it
    // A question about these attributes with the chosen stages, processors and task filter.
    ProjectionQuestion questionOf(std::vector<Attribute> attributes) const;
    bool hasPath() const;  // false if a chosen attribute needs the critical path and there is none yet
    // Makes the timeline show exactly this range and these processors.
    void showInTimeline(TimeRange range, const std::vector<ProcessorId>& pes);
    TimeNs zero() const { return m_state.store().info().begin; }  // the instant from which plotted times count

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

// PanelSpec::create for a projection view, with its requests for the timeline connected to the window.
template <typename PanelType>
QWidget* makeProjectionPanel(PanelHost& host, QWidget* parent)
{
    QWidget* panel = makePanel<PanelType>(host, parent);
    QObject::connect(static_cast<PanelType*>(panel), &ProjectionPanel::timelineRequested, &host,
                     &PanelHost::timelineRequested);
    return panel;
}

}  // namespace longpole
