// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/expert/trialbox.h"

#include "core/trace/format.h"
#include "views/drawing/charts/gainstrip.h"
#include "views/drawing/graphs/experttext.h"
#include "views/widgets/linklabel.h"
#include "views/widgets/spoken.h"
#include "views/widgets/tableview.h"

#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

// The picture of the gains.
class GainPicture : public QWidget {
public:
    GainPicture(Trial trial, QWidget* parent) : QWidget(parent), m_trial(std::move(trial))
    {
        setFixedHeight(gainStripHeight);
        speakAs(*this, QAccessible::Chart);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const qreal gap = 8;
        const qreal captions = gap
                               + std::max(fontMetrics().horizontalAdvance(predictedLaneName()),
                                          fontMetrics().horizontalAdvance(measuredLaneName()));
        paintGainStrip(painter, gainStrip(m_trial, size(), captions), themeOf(*this));
    }

private:
    Trial m_trial;
};

}  // namespace

TrialBox::TrialBox(QWidget* parent) : QWidget(parent), m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 4, 0, 2);
    m_rows->setSpacing(5);
}

void TrialBox::addRow(const QString& role, const QString& caption, const QString& text)
{
    if (text.isEmpty()) return;
    auto* label = new LinkLabel(role, this);
    if (caption.isEmpty()) label->setWords(unbroken(text));
    else label->setCaptioned(caption, unbroken(text));
    m_rows->addWidget(label);
    m_words += caption.isEmpty() ? text : tr("%1: %2").arg(caption, text);
}

void TrialBox::showTrial(const TriedAdvice& tried, const std::optional<Prediction>& prediction)
{
    while (const QLayoutItem* item = m_rows->takeAt(0)) {
        if (QWidget* row = item->widget()) {
            row->hide();
            row->deleteLater();
        }
        delete item;
    }
    m_words.clear();
    Trial trial = tried.trial;
    trial.prediction = prediction;
    const QString muted = QStringLiteral("muted");
    addRow(muted, tr("Tried"), trial.change);
    if (tried.isRunning) {
        auto* progress = new LinkLabel(muted, this);
        const auto next = static_cast<std::int64_t>(trial.runs.size()) + 1;
        progress->setLink(tr("Cancel"), {},
                          tr("Run %1 of %2 … ").arg(formatCount(std::min(next, tried.runs)), formatCount(tried.runs)));
        connect(progress, &LinkLabel::followed, this, &TrialBox::cancelRequested);
        m_rows->addWidget(progress);
    }
    addRow(QStringLiteral("errorText"), {}, tried.error);
    const TrialGain gain = trialGain(trial.runs);
    const bool isOver = !tried.isRunning && tried.error.isEmpty();
    if (gain.pairs > 0 && isOver) addRow(QStringLiteral("verdict"), {}, verdictOf(trial));
    if (trial.prediction && trial.prediction->isUsable()) addRow(muted, tr("Predicted"), predictedGainText(trial));
    if (gain.pairs > 0) {
        addRow(muted, tr("Measured"), measuredText(gain));
        auto* picture = new GainPicture(trial, this);
        picture->setAccessibleName(tr("Gains of pairs of runs: %1").arg(measuredText(gain)));
        m_rows->addWidget(picture);
        addRow(muted, tr("Duration"), mediansText(gain));
    } else if (!trial.runs.empty()) {
        addRow(muted, trial.runs.back().isChanged ? tr("With") : tr("Without"), formatTime(trial.runs.back().duration));
    }
    if (gain.pairs > 0 && isOver)
        addRow(muted, tr("What was measured"), tr("the time %1").arg(measuredByText(trial.by)));
}

QString TrialBox::toText() const { return m_words.join(QLatin1Char('\n')); }

}  // namespace longpole
