// SPDX-License-Identifier: GPL-3.0-or-later
// A panel that shows what the expert answers: it asks when it is first seen, and again when the graph or the
// thresholds are other ones.
#pragma once

#include "analysis/expert/expertquestions.h"
#include "views/state/panelspec.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>

namespace longpole {

class ViewState;

class ExpertPanel : public ComputedPanel {
    Q_OBJECT
public:
    ExpertPanel(ViewState& state, QWidget* parent);

Q_SIGNALS:
    void timelineRequested();  // what was chosen can be seen there
    void sqlRequested(const QString& sql);

protected:
    virtual void showExpert() = 0;        // expert() is new, or null
    virtual QString summary() const = 0;  // of what is shown

    ViewState& state() { return m_state; }
    const ViewState& state() const { return m_state; }
    const std::shared_ptr<const Expert>& expert() const { return m_expert; }
    void goTo(const Evidence& evidence);  // and asks for the timeline

    bool begin() override;
    void stop() override;
    double fraction() const override { return m_watch.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    void accept(const Watch<ExpertQuestion>::Answer& answer);

    ViewState& m_state;
    std::shared_ptr<const Expert> m_expert;  // that is shown
    Watch<ExpertQuestion> m_watch;
};

// A view of the expert's answer, which can ask for the timeline and for SQL.
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
