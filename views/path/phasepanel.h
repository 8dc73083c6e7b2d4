// SPDX-License-Identifier: GPL-3.0-or-later
// What repeats along the critical path (Dooley, Arya, Kale 2010, section 7.4): the phases that cover most of it, the
// path as a string with the chosen phase raised, and the iterations into which that phase cuts the run, which all views
// can step through.
#pragma once

#include "analysis/phases/phasecuts.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace longpole {

class PhaseString;
class TableView;
class ViewState;

class PhasePanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit PhasePanel(ViewState& state, QWidget* parent = nullptr);

    TableView& phaseTable() { return *m_phaseTable; }
    PhaseString& string() { return *m_string; }
    PhaseCut cut() const;

Q_SIGNALS:
    // Asks for a folded trace: the view state's bands laid over each other.
    void foldRequested();

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    using Answer = std::shared_ptr<const PathPhases>;

    void createControls();
    void createTables();
    void connectState();
    PathModel searched() const;
    PathPhasesQuestion question() const;
    void accept(const PathPhasesQuestion& question, Result<Answer> answer);
    void prove();
    void showAnswer();
    void askPhases();
    void showPhases(const std::shared_ptr<const CutPhases>& cuts);
    void askPhase();
    void showPhase(std::shared_ptr<const CutRun> run);
    void markPieces();
    void showLegend();
    void showPlace();
    void choosePhase(std::size_t row);
    void showProveButton();
    QString summary() const;

    ViewState& m_state;
    PathModel m_model;           // mode and edges of the path whose phases are shown
    PathPhasesQuestion m_asked;  // what is answered
    Answer m_answer;
    std::size_t m_phase = 0;
    std::shared_ptr<const CutRun> m_run = std::make_shared<const CutRun>();  // the chosen phase's pieces
    QSpinBox* m_support = nullptr;
    QCheckBox* m_collapse = nullptr;
    QCheckBox* m_overlapping = nullptr;
    QCheckBox* m_shown = nullptr;  // only where that path has an order of its own
    QToolButton* m_prove = nullptr;
    QComboBox* m_cut = nullptr;
    QToolButton* m_before = nullptr;
    QToolButton* m_next = nullptr;
    QLabel* m_place = nullptr;
    QCheckBox* m_bands = nullptr;
    QToolButton* m_fold = nullptr;
    TableView* m_phaseTable = nullptr;
    TableView* m_pieceTable = nullptr;
    PhaseString* m_string = nullptr;
    QLabel* m_legend = nullptr;
    Watch<PathPhasesQuestion> m_job;
    Watch<PathPhasesQuestion> m_proving;
    Watch<CutPhasesQuestion> m_cutting;
    Watch<CutRunQuestion> m_cuttingOne;
};

}  // namespace longpole
