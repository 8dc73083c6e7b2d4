// SPDX-License-Identifier: GPL-3.0-or-later
// The strip below the rows while they are coloured or dimmed by slack: computes it, and says what the colours mean.
#pragma once

#include "views/state/latestjob.h"
#include "views/state/pathquestion.h"
#include "views/widgets/computedpanel.h"

#include <memory>

namespace longpole {

class SlackLegend;
class SlackPyramid;
class ViewState;

class SlackBar : public ComputedPanel {
    Q_OBJECT
public:
    explicit SlackBar(ViewState& state, QWidget* parent = nullptr);

    SlackLegend& legend() { return *m_legend; }
    bool isWanted() const;  // rows are coloured or dimmed by slack

Q_SIGNALS:
    void wantedChanged();

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;

private:
    struct Answer {
        Result<std::shared_ptr<const SlackPyramid>> pyramid;
        std::int64_t none = 0;  // tasks without slack
        TimeNs largest = 0;
    };

    void accept(const Answer& answer);
    void showSlack();
    QString summary() const;

    ViewState& m_state;
    SlackLegend* m_legend;
    LatestJob<Answer> m_job;
    std::int64_t m_none = 0;
    PathModel m_model;  // of the slack that is shown
};

}  // namespace longpole
