// SPDX-License-Identifier: GPL-3.0-or-later
// The panel that says what to change first: all advice as ranked cards, then what was measured and is not worth it, and
// what holds of priorities.
#pragma once

#include "analysis/replay/replayquestions.h"
#include "views/expert/advicecard.h"
#include "views/expert/expertpanel.h"
#include "views/widgets/tablemodel.h"

#include <vector>

class QFrame;
class QScrollArea;
class QVBoxLayout;

namespace longpole {

// All advice as the table that `longpole advise --csv` prints.
TableContent adviceContent(const std::shared_ptr<const Expert>& expert, std::shared_ptr<const TraceStore> store);

class AdvicePanel : public ExpertPanel {
    Q_OBJECT
public:
    AdvicePanel(ViewState& state, QWidget* parent = nullptr);

    const std::vector<AdviceCard*>& cards() const { return m_cards; }
    QString countText() const;  // "3"; empty if there is no advice or none is known yet
    QString toText() const;     // the whole page
    // What a report would begin with; empty while it is not known.
    QString lead() const;
    bool isTraceInDoubt() const;  // it fails checks on which every verdict rests
    void showFirst();             // opens the card of the first advice and shows its place in the timeline
    // What became of the advice in a second run, by id; empty: there is none.
    void setMeasured(const QHash<QString, MeasuredAdvice>& measured);
    // What runs with it and without have brought, by id of the advice.
    void setTried(const QHash<QString, TriedAdvice>& tried);
    // The trials that have ended, each with what its advice predicts; in the order of the advice.
    std::vector<Trial> trials() const;
    // The priorities that a piece of advice gives, for a program to read; empty: it gives none by entry method.
    QByteArray prioritiesOf(const Advice& advice) const;
    // Writes the entry methods to be prioritized, in the format that the ending says: .json, .h or .csv.
    void exportPriorities(const QString& file);

Q_SIGNALS:
    void countChanged();
    void treeRequested();
    void prioritiesRequested();
    // Cards offer to open the run made with the change only if the first is connected; the second comes of a drop.
    void secondRequested();
    void secondDropped(const QString& path);
    // Cards offer a replay only if this is connected.
    void replayRequested(const longpole::Advice& advice);
    // Cards offer to try it only if this is connected.
    void tryRequested(const longpole::Advice& advice);
    void cancelTryRequested();

protected:
    void showExpert() override;
    void showEvent(QShowEvent* event) override;
    QString summary() const override { return {}; }
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    QFrame* addCard(const QString& style);
    void addFailedChecks();
    void addWords(const QString& text);
    void addAdvice(const Advice& advice, int rank, const AdviceFrame& frame);
    void addScheduling();
    void addNotWorthIt();
    void addTreeLink();
    void showAdvice();
    void askReplay();
    void takeReplay(const QString& id, const Prediction& prediction);
    QString introduction() const;
    void exportCsv();
    void write(const QByteArray& bytes, const QString& file);

    QScrollArea* m_scroll = nullptr;
    QVBoxLayout* m_rows = nullptr;
    std::vector<AdviceCard*> m_cards;
    QStringList m_words;                    // the texts of the page that are not on cards of advice
    std::shared_ptr<const Expert> m_shown;  // whose advice that is
    std::vector<Advice> m_advice;           // as far as it is replayed by now
    std::size_t m_asked = 0;                // replays for it
    QHash<QString, MeasuredAdvice> m_measured;
    QHash<QString, TriedAdvice> m_tried;
    Watch<PredictionQuestion> m_replay;
};

}  // namespace longpole
