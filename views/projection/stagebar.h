// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the stages and processors of a projection view: the range, how it is cut into stages, and which stages and
// processors are kept, by written sets or by a condition on an attribute.
#pragma once

#include "analysis/phases/phasequestions.h"
#include "analysis/projection/stagequestions.h"
#include "views/projection/projectionfeed.h"
#include "views/state/watch.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QSlider;
class QToolButton;

namespace longpole {

class FlowLayout;
class ViewState;

class StageBar : public QWidget {
    Q_OBJECT
public:
    static constexpr int mostOfSlider = 2000;
    enum class Over : std::uint8_t { Run, Visible, Marked };

    explicit StageBar(ViewState& state, QWidget* parent = nullptr);

    // What is chosen. A field with an error leaves the choice as it was.
    const Stages& stages() const { return m_stages; }
    const std::vector<bool>& kept() const { return m_kept; }       // by stage; empty: all
    const std::vector<ProcessorId>& pes() const { return m_pes; }  // sorted
    // "3 of 64 PEs" and "20 of 100 stages"; empty if all are chosen.
    QString choiceText() const;

    // Puts a view's own widget among the first controls, before the button that opens the second one.
    void addControl(QWidget* control);

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
    void rebuild();  // makes the stages anew
    void cutByProgram();
    void acceptCut(Result<Stages> stages);
    void accept(Stages stages);
    bool readStageSet();
    bool readProcessors();
    void readCondition();
    void acceptCondition();
    void choose();  // applies the sets and the condition
    void showCount();
    void setFault(QLineEdit* field, const QString& text);

    ViewState& m_state;
    Stages m_stages;
    std::vector<bool> m_kept;
    std::vector<ProcessorId> m_pes;
    std::vector<ProcessorId> m_all;  // all but communication threads
    std::vector<ProcessorId> m_writtenPes;
    std::vector<bool> m_writtenStages;
    std::optional<std::vector<bool>> m_meets;  // the condition, by written PE or by stage; nullopt: none, or not known
    bool m_meetsStages = false;
    QString m_asked = QStringLiteral("stages=100");
    FlowLayout* m_first = nullptr;
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

// A formula for a condition as users write it, "utilization < 60 %, idle > 5ms": with percentages and times as plain
// numbers.
QString conditionFormula(const QString& text);

}  // namespace longpole
