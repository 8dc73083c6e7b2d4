// SPDX-License-Identifier: GPL-3.0-or-later
// A sheet in which to say how a piece of advice is to be tried: which command, where, what changes and how often. It
// says what will run before anything does.
#pragma once

#include "app/gui/frame/overlay.h"
#include "app/record/trialchoice.h"

class QCheckBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace longpole {

class TrialSheet : public Overlay {
    Q_OBJECT
public:
    explicit TrialSheet(QWidget* window);

    // `hasPriorities`: the advice gives some, which the changed runs can read.
    void ask(const QString& advice, const TrialChoice& choice, bool hasPriorities);
    TrialChoice choice() const;

    QLineEdit& command() { return *m_command; }
    QLineEdit& folder() { return *m_folder; }
    QLineEdit& variables() { return *m_variables; }
    QLineEdit& versus() { return *m_versus; }
    QCheckBox& copied() { return *m_copied; }
    QCheckBox& priorities() { return *m_priorities; }
    QSpinBox& pairs() { return *m_pairs; }
    QLabel& sentence() { return *m_sentence; }

Q_SIGNALS:
    void chosen(const longpole::TrialChoice& choice);

protected:
    void opened() override;
    QSize wanted() const override;

private:
    QLineEdit* addField(QGridLayout& grid, const QString& caption, const QString& example, const QString& tip);
    void chooseFolder();
    void showSentence();
    bool givesPriorities() const;

    bool m_hasPriorities = false;
    QLabel* m_title;
    QLineEdit* m_command;
    QLineEdit* m_folder;
    QCheckBox* m_copied;
    QCheckBox* m_priorities;
    QLabel* m_about;  // what priorities need of the program
    QLineEdit* m_variables;
    QLineEdit* m_versus;
    QSpinBox* m_pairs;
    QLabel* m_sentence;
    QPushButton* m_accept;
};

}  // namespace longpole
