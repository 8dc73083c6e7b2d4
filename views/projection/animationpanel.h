// SPDX-License-Identifier: GPL-3.0-or-later
// The animation: processors on a grid, coloured by an attribute, played stage by stage, with the part of the critical
// path that lies in the stage; exported as frames or as an animated PNG.
#pragma once

#include "views/drawing/pictures/renderprojection.h"
#include "views/projection/projectionpanel.h"
#include "views/state/fileexport.h"

#include <QTimer>

class QComboBox;
class QLabel;
class QLineEdit;
class QSlider;
class QToolButton;

namespace longpole {

class ColourBar;
class GridCanvas;

class AnimationPanel : public ProjectionPanel {
    Q_OBJECT
public:
    explicit AnimationPanel(ViewState& state, QWidget* parent = nullptr);

    GridCanvas& canvas() { return *m_canvas; }
    std::size_t stage() const;
    void setStage(std::size_t stage);
    bool isPlaying() const { return m_clock.isActive(); }
    void setPlaying(bool playing);  // begins at the first stage if the last one shows
    void step(int stages);          // forward or, if negative, back; begins anew at the end if looping is chosen
    // Asks for an animated PNG, or with `asFrames` for one picture per stage, numbered before the ending.
    void exportTo(const QString& path, bool asFrames);

Q_SIGNALS:
    void exportRequested(const longpole::FileExport& file);

protected:
    void ask() override;
    void showAnswers() override;
    void recolour() override { showAnswers(); }
    void showMarked() override {}
    void keyPressEvent(QKeyEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void createControls();
    void readShape();
    void showPath();
    void showStage();
    void showHovered();
    void chooseExport();
    ProjectionPtr projection() const;

    GridShape m_shape;
    GridCanvas* m_canvas = nullptr;
    ColourBar* m_colourBar = nullptr;
    QToolButton* m_play = nullptr;
    QToolButton* m_loop = nullptr;
    QToolButton* m_path = nullptr;
    QSlider* m_scrub = nullptr;
    QLabel* m_stageText = nullptr;
    QComboBox* m_speed = nullptr;
    QComboBox* m_scale = nullptr;
    QLineEdit* m_shapeField = nullptr;
    QTimer m_clock;
};

}  // namespace longpole
