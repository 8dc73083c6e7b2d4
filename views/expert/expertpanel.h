// SPDX-License-Identifier: GPL-3.0-or-later
// The base of the panels that show the expert's answer, which is asked for when the panel is first seen, and again
// after the graph or the thresholds have changed.
#pragma once

#include "analysis/expert/expertquestions.h"
#include "views/state/panelspec.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>

class QScrollArea;

namespace longpole {

class ViewState;

class ExpertPanel : public ComputedPanel {
    Q_OBJECT
public:
    ExpertPanel(ViewState& state, QWidget* parent);

Q_SIGNALS:
    void timelineRequested();  // something was chosen that the timeline shows
    void sqlRequested(const QString& sql);

protected:
    virtual void showExpert() = 0;        // called when expert() has changed, also to null
    virtual QString summary() const = 0;  // the headline above the answer

    ViewState& state() { return m_state; }
    const ViewState& state() const { return m_state; }
    const std::shared_ptr<const Expert>& expert() const { return m_expert; }
    // Shows the page, and scrolls it where the panel is too low for it.
    QScrollArea* showPage(QWidget* page);
    void goTo(const Evidence& evidence);  // selects and shows it in all views, and asks for the timeline

    bool begin() override;
    void stop() override;
    double fraction() const override { return m_watch.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    void accept(const Watch<ExpertQuestion>::Answer& answer);

    ViewState& m_state;
    std::shared_ptr<const Expert> m_expert;  // what is shown; null while it is not known
    Watch<ExpertQuestion> m_watch;
};

// Creates such a panel, with its requests for the timeline and for SQL connected to the window.
template <typename PanelType>
PanelType* makeExpertPanel(PanelHost& host, QWidget* parent)
{
    auto* panel = new PanelType(host.state(), parent);
    QObject::connect(panel, &ComputedPanel::exportFailed, &host, &PanelHost::failed);
    QObject::connect(panel, &ExpertPanel::sqlRequested, &host, &PanelHost::sqlRequested);
    QObject::connect(panel, &ExpertPanel::timelineRequested, &host, &PanelHost::timelineRequested);
    return panel;
}

}  // namespace longpole
