// SPDX-License-Identifier: GPL-3.0-or-later
// The strip below the rows while these are coloured or dimmed by slack: asks for the slack and explains the colours.
#pragma once

#include "analysis/paths/slackquestions.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

namespace longpole {

class SlackLegend;
class ViewState;

class SlackBar : public ComputedPanel {
    Q_OBJECT
public:
    explicit SlackBar(ViewState& state, QWidget* parent = nullptr);

    SlackLegend& legend() { return *m_legend; }
    bool isWanted() const;  // whether rows are coloured or dimmed by slack

Q_SIGNALS:
    void wantedChanged();

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;

private:
    void accept(const Watch<SlackPyramidQuestion>::Answer& answer);
    void showSlack();
    QString summary() const;

    ViewState& m_state;
    SlackLegend* m_legend;
    Watch<SlackPyramidQuestion> m_job;
    PathModel m_model;  // of the path whose slack shows
};

}  // namespace longpole
