// SPDX-License-Identifier: GPL-3.0-or-later
// The decision tree as a picture, with the causes of idle time above it and what the chosen question found beside it.
#pragma once

#include "views/expert/expertpanel.h"

#include <vector>

class QLabel;
class QScrollArea;
class QSplitter;
class QToolButton;

namespace longpole {

class NodeDetail;
class PartBar;
class TreeCanvas;

class TreePanel : public ExpertPanel {
    Q_OBJECT
public:
    TreePanel(ViewState& state, QWidget* parent = nullptr);

    TreeCanvas& canvas() { return *m_canvas; }
    NodeDetail& detail() { return *m_detail; }
    // Reads the thresholds from `file`; empty: takes the defaults. The panel shows what is wrong with a file.
    void chooseThresholds(const QString& file);
    // Writes the defaults with their comments as a file to be edited.
    void saveThresholds(const QString& file);

Q_SIGNALS:
    void adviceRequested();
    void sharedRequested();

protected:
    void showExpert() override;
    QString summary() const override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void createWidgets();
    void createThresholds();
    void fillThresholdsMenu();
    void showThresholds();
    void say(const std::optional<Error>& error);
    void showIdle();
    void showNode(int node);
    void showBranch();
    void bringIntoView(int node);
    void chooseCause(int part);
    std::vector<Evidence> longest(IdleCause cause) const;

    QToolButton* m_thresholds = nullptr;
    QLabel* m_error = nullptr;
    QWidget* m_idleBox = nullptr;
    PartBar* m_idle = nullptr;
    QSplitter* m_split = nullptr;
    QScrollArea* m_scroll = nullptr;
    TreeCanvas* m_canvas = nullptr;
    NodeDetail* m_detail = nullptr;
};

}  // namespace longpole
