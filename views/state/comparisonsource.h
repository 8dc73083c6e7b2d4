// SPDX-License-Identifier: GPL-3.0-or-later
// The comparison of the open trace with a second one: computed once, when a view first asks for it, for all views
// together; dropped when another second trace comes. Lives on the UI thread.
#pragma once

#include "analysis/compare/comparison.h"
#include "analysis/scheduling/advice.h"
#include "core/base/result.h"
#include "views/state/latestjob.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

class ViewState;

class ComparisonSource : public QObject {
    Q_OBJECT
public:
    // `a` outlives it.
    explicit ComparisonSource(ViewState& a, QObject* parent = nullptr);

    // It outlives being the second; null: none.
    void setSecond(ViewState* b);
    ViewState* second() const { return m_b; }
    // What the expert advises on the first run.
    void setAdvice(std::vector<Advice> advice);

    // Begins if there is no answer and none under way. False: it cannot yet, there is no second trace, or the tasks of
    // one are not loaded.
    bool want();
    void cancel();
    bool isComputing() const { return m_job.isRunning(); }
    double fraction() const { return m_job.fraction(); }
    // Null while there is none.
    const std::shared_ptr<const Comparison>& comparison() const { return m_comparison; }
    const std::optional<Error>& error() const { return m_error; }

Q_SIGNALS:
    void changed();  // an answer came, went or failed, or can be asked for

private:
    struct Answer {
        std::shared_ptr<const RunFigures> a;
        std::shared_ptr<const Comparison> comparison;
    };
    void drop();
    void accept(Result<Answer> answer);

    ViewState& m_a;
    ViewState* m_b = nullptr;
    std::vector<Advice> m_advice;
    std::shared_ptr<const RunFigures> m_figuresOfA;  // serve the next second trace as well
    std::shared_ptr<const Comparison> m_comparison;
    std::optional<Error> m_error;
    LatestJob<Result<Answer>> m_job;
};

}  // namespace longpole
