// SPDX-License-Identifier: GPL-3.0-or-later
// The card of one advice: its title, gain and verdict; when it is opened also what to do, why, what that saves, the
// places where it can be seen, and buttons that act on it.
#pragma once

#include "analysis/scheduling/advice.h"
#include "core/trace/vocabulary.h"
#include "views/expert/trialbox.h"

#include <QFrame>
#include <QHash>
#include <QString>

class QLabel;
class QLayout;
class QPushButton;
class QVBoxLayout;

namespace longpole {

class EvidenceList;

// What a second run, made after advice on the first, took.
struct MeasuredAdvice {
    QString run;              // its name
    QString text;             // predicted beside measured
    bool isReplayed = false;  // the run is a replay, which measures nothing
    friend bool operator==(const MeasuredAdvice&, const MeasuredAdvice&) = default;
};

// What a card needs to know of the run, and whether the window offers a replay.
struct AdviceFrame {
    Vocabulary words;
    TimeNs zero = 0;  // the instant from which shown times count
    TimeNs duration = 0;
    std::int64_t processors = 1;
    bool canReplay = false;
    bool canMeasure = false;                    // the window opens second runs
    bool canTry = false;                        // and runs the program
    QHash<QString, MeasuredAdvice> measured{};  // by id of the advice, what a second run has gained
    QHash<QString, TriedAdvice> tried{};        // by id of the advice, what runs with it and without have
};

class AdviceCard : public QFrame {
    Q_OBJECT
public:
    AdviceCard(Advice advice, int rank, AdviceFrame frame, QWidget* parent = nullptr);

    const Advice& advice() const { return m_advice; }
    bool isOpen() const { return m_isOpen; }
    void setOpen(bool open);
    EvidenceList* evidence() const { return m_evidence; }  // null if the advice has none
    QString toText() const;
    // Says what the runs so far have brought, without folding the card.
    void showTried(const TriedAdvice& tried);
    TrialBox* trial() const { return m_trial; }

Q_SIGNALS:
    void opened();
    void evidenceChosen(const longpole::Evidence& evidence);
    void placeRequested();
    void sqlRequested(const QString& sql);
    void replayRequested();
    void exportRequested();
    void measureRequested();
    void tryRequested();
    void cancelTryRequested();

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void createHead(QVBoxLayout& layout, int rank);
    void createMore(QVBoxLayout& layout);
    void createButtons(QVBoxLayout& layout);
    void createMeasured(QVBoxLayout& layout);
    template <typename Call>
    void addButton(QLayout& row, const QString& text, const QString& tip, Call call);
    void writeTitle();
    QString loss() const;
    QString gain() const;
    QString confidence() const;
    QString effect() const;
    QString baseline() const;

    Advice m_advice;
    int m_rank;
    AdviceFrame m_frame;
    bool m_isOpen = false;
    QLabel* m_title = nullptr;
    QLabel* m_fold = nullptr;
    QWidget* m_lost = nullptr;  // a bar of what m_loss says
    QLabel* m_loss = nullptr;
    QWidget* m_more = nullptr;
    EvidenceList* m_evidence = nullptr;
    TrialBox* m_trial = nullptr;  // hidden while nothing was tried
};

// What may be held against a measured gain: other replays are of the best that the advice could do, which is no
// promise.
std::optional<Prediction> promiseOf(const Advice& advice);

// The severity of an advice as a share of all processors' time, 0..1.
double shareOfRun(const Advice& advice, TimeNs duration, std::int64_t processors);

}  // namespace longpole
