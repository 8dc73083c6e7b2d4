// SPDX-License-Identifier: GPL-3.0-or-later
// How a view asks about the open trace: only its newest question counts, the answer comes on the UI thread, and what
// somebody else has asked already is not computed again.
#pragma once

#include "analysis/results/results.h"
#include "views/state/latestjob.h"

#include <functional>
#include <memory>
#include <utility>

namespace longpole {

template <Question Q>
class Watch {
public:
    using Answer = Result<std::shared_ptr<const typename Q::Answer>>;
    using Done = std::function<void(Answer)>;

    // `done` gets the answer on the UI thread, unless ask or cancel is called before. An answer that is kept already
    // comes before this returns.
    void ask(std::shared_ptr<Results> results, Q question, Done done)
    {
        if (auto there = results->peek(question)) {
            m_job.cancel();
            done(std::move(there));
            return;
        }
        m_job.start([results = std::move(results), question = std::move(question)](
                        const Progress& progress) { return results->ask(question, progress); },
                    std::move(done));
    }
    // Returns at once; `done` will not be called.
    void cancel() { m_job.cancel(); }

    bool isRunning() const { return m_job.isRunning(); }
    double fraction() const { return m_job.fraction(); }

private:
    LatestJob<Answer> m_job;
};

}  // namespace longpole
