// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path as a string of letters, each of which is a task or a run of equal ones, with the instances of a
// phase raised (Dooley, Arya, Kale 2010, figure 10). Only the lines in view are drawn, so it may be of any length.
#pragma once

#include "analysis/phases/phasecuts.h"
#include "views/drawing/basics/palette.h"
#include "views/drawing/charts/symbolgrid.h"

#include <QAbstractScrollArea>

#include <memory>
#include <optional>
#include <vector>

namespace longpole {

class PhaseString : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit PhaseString(std::shared_ptr<const TraceStore> store, QWidget* parent = nullptr);

    void setPhases(std::shared_ptr<const PathPhases> phases);  // null: shows nothing
    // Symbols of the repeats are raised. A line stands before the first symbol of each piece, which is called a `name`.
    void setPieces(std::shared_ptr<const CutRun> run, const QString& name);
    void setColours(std::shared_ptr<const Palette> palette);
    // Frames the task's symbol if it is on the path; scrolls there if `isShown`.
    void setSelected(TaskId task, bool isShown);
    void showSymbol(std::size_t symbol);

    const SymbolLetters& letters() const { return m_letters; }
    const SymbolGrid& grid() const { return m_grid; }
    QRectF cellOf(std::size_t symbol) const;   // in the viewport
    TaskId taskOf(std::size_t symbol) const;   // of a run the first one
    QString textOf(std::size_t symbol) const;  // its tooltip

Q_SIGNALS:
    void symbolChosen(std::size_t symbol);  // a click
    void pieceChosen(std::size_t cut);      // a double-click

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void arrange();
    void paintPieces(QPainter& painter, double top);
    void paintSymbols(QPainter& painter, double top);
    std::optional<std::size_t> symbolAt(QPointF place) const;
    const PhasePiece* cutOf(std::size_t symbol) const;
    void hover(std::optional<std::size_t> symbol);

    std::shared_ptr<const TraceStore> m_store;
    std::shared_ptr<const PathPhases> m_phases;
    std::shared_ptr<const CutRun> m_run = std::make_shared<const CutRun>();
    QString m_cutName;
    std::shared_ptr<const Palette> m_palette = std::make_shared<const Palette>();
    SymbolLetters m_letters;
    SymbolGrid m_grid;
    std::optional<std::size_t> m_hovered, m_selected;
};

}  // namespace longpole
