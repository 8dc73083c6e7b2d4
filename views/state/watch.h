// SPDX-License-Identifier: GPL-3.0-or-later
// What a view asks of the open trace: the newest question counts, its answer comes on the UI thread, and a question
// that somebody else has asked already is not computed again.
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

    // `done` gets the answer, later and on this thread, unless ask or cancel is called before. An answer that is there
    // already comes at once, before this returns.
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
    // Drops the answer, now and without waiting.
    void cancel() { m_job.cancel(); }

    bool isRunning() const { return m_job.isRunning(); }
    double fraction() const { return m_job.fraction(); }

private:
    LatestJob<Answer> m_job;
};

}  // namespace longpole
