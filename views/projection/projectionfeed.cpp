// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/projection/projectionfeed.h"

#include "analysis/projection/coarseprojection.h"
#include "core/trace/format.h"

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

constexpr int countAfter = 120;    // ms without another question
constexpr int pictureEvery = 100;  // ms
constexpr qint64 isLong = 500;     // ms

}  // namespace

ProjectionFeed::ProjectionFeed(std::shared_ptr<Projector> projector, QObject* parent)
    : QObject(parent), m_projector(std::move(projector))
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(countAfter);
    m_progress.setInterval(pictureEvery);
    connect(&m_delay, &QTimer::timeout, this, &ProjectionFeed::count);
    connect(&m_progress, &QTimer::timeout, this, &ProjectionFeed::showProgress);
}

void ProjectionFeed::ask(ProjectionQuestion question, bool onlyAtOnce)
{
    m_counting.cancel();
    m_pictures.cancel();
    m_delay.stop();
    m_progress.stop();
    m_error.reset();
    m_question = std::move(question);
    m_question.live.reset();
    m_onlyAtOnce = onlyAtOnce;
    m_answers.assign(m_question.attributes.size(), nullptr);
    m_isExact.assign(m_question.attributes.size(), false);
    const auto cells = static_cast<std::int64_t>(m_question.stages.count() * m_question.pes.size());
    if (m_question.attributes.empty() || cells == 0) {
        enter(State::Nothing);
        return;
    }
    if (const TraceStore& store = m_projector->store(); !store.hasEvents()) {
        m_onlyAtOnce = true;
        for (const Attribute& attribute : m_question.attributes)
            if (store.info().isPart() || !isInTiles(attribute, store)) m_error = requireEvents(store).error();
        if (m_error) {
            enter(State::Failed);
            return;
        }
    }
    if (const std::int64_t all = cells * static_cast<std::int64_t>(m_question.attributes.size());
        all > Projector::mostCells) {
        if (m_onlyAtOnce) {
            enter(State::Nothing);
            return;
        }
        m_error = Error{.what = tr("%1 stages of %2 PEs or ranks are too many cells.")
                                    .arg(formatCount(static_cast<std::int64_t>(m_question.stages.count())),
                                         formatCount(static_cast<std::int64_t>(m_question.pes.size()))),
                        .where = {},
                        .hint = tr("Choose fewer stages, rows or attributes: at most %1 cells.")
                                    .arg(formatCount(Projector::mostCells))};
        enter(State::Failed);
        return;
    }
    if (answerAtOnce()) {
        enter(State::Exact);
        return;
    }
    m_since.start();
    if (!m_onlyAtOnce) m_delay.start();
    enter(m_onlyAtOnce && !m_loading.isRunning() ? State::Coarse : State::Working);
}

// Fills in what is kept, the pyramid has, or can be resampled from a similar answer. True if all of it is exact.
bool ProjectionFeed::answerAtOnce()
{
    bool needsTiles = false;
    for (std::size_t i = 0; i < m_answers.size(); ++i) {
        if (ProjectionPtr exact = m_projector->exact(m_question, i)) {
            m_answers[i] = std::move(exact);
            m_isExact[i] = true;
            continue;
        }
        if (answerFromTiles(i)) continue;
        needsTiles = needsTiles || (!m_question.grain && isInTiles(m_question.attributes[i], m_projector->store()));
        if (const ProjectionPtr similar = m_projector->similar(m_question, i)) {
            Projection coarse = resampled(*similar, m_question.stages);
            keepStages(coarse, m_question.kept, nullptr);
            m_answers[i] = std::make_shared<const Projection>(std::move(coarse));
        }
    }
    m_coarse = m_answers;
    if (needsTiles) loadTiles();
    return std::find(m_isExact.begin(), m_isExact.end(), false) == m_isExact.end();
}

bool ProjectionFeed::answerFromTiles(std::size_t i)
{
    if (!isInTiles(m_question.attributes[i], m_projector->store())) return false;
    const std::shared_ptr<const StageTiles> tiles = m_projector->tiles(m_question, i);
    if (!tiles) return false;
    Projection projection = tiles->project(m_question.attributes[i], m_question.stages);
    keepStages(projection, m_question.kept, nullptr);
    m_isExact[i] = !projection.isApproximate;
    m_answers[i] = std::make_shared<const Projection>(std::move(projection));
    return true;
}

void ProjectionFeed::loadTiles()
{
    m_loading.ask(m_projector->results(), m_projector->askForTiles(m_question),
                  [this](const Result<std::shared_ptr<const StageTiles>>& tiles) { acceptTiles(tiles); });
}

void ProjectionFeed::acceptTiles(const Result<std::shared_ptr<const StageTiles>>& tiles)
{
    if (!tiles.ok() || m_state != State::Working) return;  // counting will report what is wrong with the file
    for (std::size_t i = 0; i < m_answers.size(); ++i)
        if (!m_isExact[i]) answerFromTiles(i);
    m_coarse = m_answers;
    const bool isExact = std::find(m_isExact.begin(), m_isExact.end(), false) == m_isExact.end();
    if (!isExact && !m_onlyAtOnce) {
        Q_EMIT changed();
        return;
    }
    m_delay.stop();
    m_counting.cancel();
    enter(isExact ? State::Exact : State::Coarse);
}

void ProjectionFeed::count()
{
    m_question.live = std::make_shared<LiveCells>();
    m_projector->remember(m_question);
    m_progress.start();
    m_counting.ask(m_projector->results(), m_question,
                   [this](const Result<std::shared_ptr<const Answers>>& answers) { accept(answers); });
}

void ProjectionFeed::accept(const Result<std::shared_ptr<const Answers>>& answers)
{
    m_pictures.cancel();
    if (!answers.ok()) {
        m_error = answers.error();
        enter(State::Failed);
        return;
    }
    m_answers = **answers;
    m_isExact.assign(m_answers.size(), true);
    enter(State::Exact);
}

// Puts the rows that have been counted so far into the coarse answers.
void ProjectionFeed::showProgress()
{
    Q_EMIT progressed();
    const std::shared_ptr<const StageCells> cells = m_question.live ? m_question.live->get() : nullptr;
    if (!cells || m_pictures.isRunning()) return;
    m_pictures.start(
        [cells, question = m_question, before = m_coarse, isExact = m_isExact](const Progress&) {
            Answers pictures;
            for (std::size_t i = 0; i < before.size(); ++i) {
                if (isExact[i]) {
                    pictures.push_back(before[i]);
                    continue;
                }
                Projection picture = pictureOf(question.attributes[i], *cells, before[i].get());
                if (picture.rowsThere == 0) {
                    pictures.push_back(before[i]);
                    continue;
                }
                keepStages(picture, question.kept, nullptr);
                pictures.push_back(std::make_shared<const Projection>(std::move(picture)));
            }
            return pictures;
        },
        [this](Answers pictures) {
            if (m_state != State::Working || pictures.empty()) return;  // empty: no memory for them
            m_answers = std::move(pictures);
            Q_EMIT changed();
        });
}

bool ProjectionFeed::takesLong() const { return isWorking() && m_since.isValid() && m_since.elapsed() >= isLong; }

void ProjectionFeed::cancel()
{
    if (!isWorking()) return;
    m_counting.cancel();
    m_pictures.cancel();
    m_loading.cancel();
    m_delay.stop();
    enter(State::Cancelled);
}

void ProjectionFeed::enter(State state)
{
    m_state = state;
    if (state != State::Working) {
        m_progress.stop();
        m_question.live.reset();
    }
    Q_EMIT changed();
}

}  // namespace longpole
