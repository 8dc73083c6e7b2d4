// SPDX-License-Identifier: GPL-3.0-or-later
// Which second trace the open one is compared with, and what that gave: one answer for all views. Lives on the UI
// thread.
#pragma once

#include "analysis/compare/comparequestions.h"
#include "core/base/result.h"
#include "views/state/watch.h"

#include <QObject>

#include <memory>
#include <optional>

namespace longpole {

class ViewState;

class ComparisonSource : public QObject {
    Q_OBJECT
public:
    // `a` outlives it.
    explicit ComparisonSource(ViewState& a, QObject* parent = nullptr);

    // `b` outlives being the second; null: there is none any more.
    void setSecond(ViewState* b);
    ViewState* second() const { return m_b; }

    // Compares unless that has been done or is under way. False: it cannot be done yet, since there is no second trace
    // or the tasks of one are not loaded. What became of the advice on the first run is added as soon as it is known.
    bool want();
    void cancel();
    bool isComputing() const { return m_figuring.isRunning() || (!m_comparison && m_comparing.isRunning()); }
    double fraction() const
    {
        return m_figuring.isRunning() ? m_figuring.fraction() / 2 : 0.5 + m_comparing.fraction() / 2;
    }
    // Null while there is none.
    const std::shared_ptr<const Comparison>& comparison() const { return m_comparison; }
    const std::optional<Error>& error() const { return m_error; }

Q_SIGNALS:
    void changed();  // an answer came, is gone or failed, or can be asked for now

private:
    void drop();
    void advise();  // by the thresholds of now, if there is a comparison and the tasks are loaded
    void compare(std::optional<Thresholds> advisedBy);
    void fail(const Error& error);

    ViewState& m_a;
    ViewState* m_b = nullptr;
    std::shared_ptr<const RunFigures> m_figuresOfB;
    std::shared_ptr<const Comparison> m_comparison;
    std::optional<Error> m_error;
    Watch<RunFiguresQuestion> m_figuring;  // of the second
    Watch<ComparisonQuestion> m_comparing;
};

}  // namespace longpole
