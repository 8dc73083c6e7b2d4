// SPDX-License-Identifier: GPL-3.0-or-later
// The projections that one view asks for, as they become known: at once those that are kept, or coarse ones from the
// pyramid (the file's levels of detail), then exact ones, which are counted row by row from the chunks. The newest
// question wins. Lives on the UI thread.
#pragma once

#include "core/base/result.h"
#include "views/state/latestjob.h"
#include "views/state/projector.h"
#include "views/state/watch.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

class ProjectionFeed : public QObject {
    Q_OBJECT
public:
    explicit ProjectionFeed(std::shared_ptr<Projector> projector, QObject* parent = nullptr);

    // Emits changed(), with what is known at once, before it returns. `onlyAtOnce`: does not count; of a summary, which
    // has no events, nothing is ever counted. error(): too many cells, or attributes that need events.
    void ask(ProjectionQuestion question, bool onlyAtOnce = false);
    // Stops counting; answers that are there stay, as approximations.
    void cancel();

    const ProjectionQuestion& question() const { return m_question; }
    // By attribute of the question; null while nothing is known of it.
    const std::vector<ProjectionPtr>& answers() const { return m_answers; }
    bool isWorking() const { return m_state == State::Working; }
    bool isExact() const { return m_state == State::Exact; }
    bool isCoarse() const { return m_state == State::Coarse; }  // nothing better will come
    bool isCancelled() const { return m_state == State::Cancelled; }
    double fraction() const { return m_counting.fraction(); }
    bool takesLong() const;  // it has worked for half a second or more
    const std::optional<Error>& error() const { return m_error; }

Q_SIGNALS:
    void changed();  // the answers or the state
    void progressed();

private:
    enum class State : std::uint8_t { Nothing, Working, Exact, Coarse, Cancelled, Failed };
    using Answers = std::vector<ProjectionPtr>;
    bool answerAtOnce();
    bool answerFromTiles(std::size_t i);
    void loadTiles();
    void count();
    void acceptTiles(const Result<std::shared_ptr<const StageTiles>>& tiles);
    void accept(const Result<std::shared_ptr<const Answers>>& answers);
    void showProgress();
    void enter(State state);

    std::shared_ptr<Projector> m_projector;
    ProjectionQuestion m_question;
    bool m_onlyAtOnce = false;
    Answers m_answers;
    Answers m_coarse;             // the answers as they were before counting
    std::vector<bool> m_isExact;  // by answer
    std::optional<Error> m_error;
    State m_state = State::Nothing;
    QElapsedTimer m_since;
    QTimer m_delay;  // until counting begins: while a slider is dragged each question soon has a successor
    QTimer m_progress;
    Watch<ProjectionQuestion> m_counting;
    Watch<StageTilesQuestion> m_loading;
    LatestJob<Answers> m_pictures;  // makes answers of the rows that are counted so far
};

}  // namespace longpole
