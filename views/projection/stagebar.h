// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses stages and processors of a projection view: how long a stage is, what cuts it, over which range, and sets of
// either, written or by a condition on an attribute.
#pragma once

#include "analysis/phases/phasequestions.h"
#include "analysis/projection/stagequestions.h"
#include "views/projection/projectionfeed.h"
#include "views/state/watch.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QSlider;
class QToolButton;

namespace longpole {

class ViewState;

class StageBar : public QWidget {
    Q_OBJECT
public:
    static constexpr int mostOfSlider = 2000;
    enum class Over : std::uint8_t { Run, Visible, Marked };

    explicit StageBar(ViewState& state, QWidget* parent = nullptr);

    // What is chosen; what was typed wrongly changes nothing.
    const Stages& stages() const { return m_stages; }
    const std::vector<bool>& kept() const { return m_kept; }       // by stage; empty: all
    const std::vector<ProcessorId>& pes() const { return m_pes; }  // sorted
    QString errorText() const;
    // "3 of 64 processors" and so on; empty: all of all.
    QString choiceText() const;

    // Widgets of a view that stand in the first line, before the button that opens the second one.
    void addControl(QWidget* control);

    QLineEdit& stagesField() { return *m_count; }
    QSlider& slider() { return *m_slider; }
    QComboBox& cutBox() { return *m_cut; }
    QLineEdit& stageSetField() { return *m_stageSet; }
    QLineEdit& processorField() { return *m_processorSet; }
    QLineEdit& conditionField() { return *m_condition; }
    QComboBox& conditionTarget() { return *m_conditionOn; }
    void setOver(Over over);
    void setDetailsShown(bool shown);

Q_SIGNALS:
    void changed();

private:
    struct Fault {
        QLineEdit* field = nullptr;
        QString text;
    };
    void createFirstLine();
    void createSecondLine();
    void addCuts();
    TimeRange range() const;
    Over over() const;
    void useSlider();
    void useField();
    void rebuild();  // stages from what is chosen
    void cutByProgram();
    void acceptCut(Result<Stages> stages);
    void accept(Stages stages);
    bool readStageSet();
    bool readProcessors();
    void readCondition();
    void acceptCondition();
    void choose();  // sets and condition together
    void showCount();
    void setFault(QLineEdit* field, const QString& text);

    ViewState& m_state;
    Stages m_stages;
    std::vector<bool> m_kept;
    std::vector<ProcessorId> m_pes;
    std::vector<ProcessorId> m_all;  // that are no comm threads
    std::vector<ProcessorId> m_writtenPes;
    std::vector<bool> m_writtenStages;
    std::optional<std::vector<bool>> m_meets;  // the condition, by written PE or by stage; empty: none
    bool m_meetsStages = false;
    QString m_asked = QStringLiteral("stages=100");
    QHBoxLayout* m_first = nullptr;
    QSlider* m_slider = nullptr;
    QLineEdit* m_count = nullptr;
    QLabel* m_each = nullptr;
    QComboBox* m_cut = nullptr;
    QComboBox* m_over = nullptr;
    QToolButton* m_more = nullptr;
    QWidget* m_second = nullptr;
    QLineEdit* m_stageSet = nullptr;
    QLineEdit* m_processorSet = nullptr;
    QComboBox* m_conditionOn = nullptr;
    QLineEdit* m_condition = nullptr;
    QLabel* m_chosen = nullptr;
    QLabel* m_error = nullptr;
    std::vector<Fault> m_faults;
    ProjectionFeed m_feed;
    Watch<StageCutQuestion> m_cutting;
    Watch<PathPhasesQuestion> m_iterating;
};

// "utilization < 60 %, idle > 5ms": percent and times as numbers of the formula grammar.
QString conditionFormula(const QString& text);

}  // namespace longpole
