// SPDX-License-Identifier: GPL-3.0-or-later
// The communication matrix of the run or the marked range: who sends how much to whom, as a heat map of processors,
// nodes or entry methods beside a table of the pairs, which lists the parts of a chosen cell.
#pragma once

#include "analysis/statistics/sumquestions.h"
#include "views/drawing/charts/matrixgrid.h"
#include "views/state/watch.h"
#include "views/widgets/computedpanel.h"

#include <memory>
#include <optional>

class QComboBox;
class QPushButton;
class QStackedWidget;

namespace longpole {

class CallGraphCanvas;
class MatrixCanvas;
class TableView;
class ViewState;

class CommMatrixPanel : public ComputedPanel {
    Q_OBJECT
public:
    explicit CommMatrixPanel(ViewState& state, QWidget* parent = nullptr);

    MatrixCanvas& canvas() { return *m_canvas; }
    CallGraphCanvas& calls() { return *m_calls; }
    TableView& table() { return *m_table; }
    QComboBox& ends() { return *m_by; }
    QComboBox& measure() { return *m_measure; }
    QPushButton& back() { return *m_back; }  // leads from a cell's parts to all pairs
    const std::shared_ptr<const CommMatrix>& matrix() const { return m_matrix; }

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_job.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    using Answer = Result<std::shared_ptr<const CommMatrix>>;

    void createHead();
    void accept(const Answer& matrix);
    void showGrid();
    void showCalls();
    void showPairs(const std::shared_ptr<const CommMatrix>& listed);  // in the table
    void chooseCell(std::optional<MatrixCellAt> cell);
    void chooseRow(std::size_t row);
    void say(std::optional<MatrixCellAt> hovered);
    void sayEntry(std::optional<std::uint32_t> hovered);
    QString summary() const;
    QString cellText(MatrixCellAt at) const;
    CommBy wantedBy() const;

    ViewState& m_state;
    QComboBox* m_by = nullptr;
    QComboBox* m_measure = nullptr;
    bool m_hasChosen = false;  // what is counted
    QComboBox* m_scale = nullptr;
    QPushButton* m_asGraph = nullptr;
    QPushButton* m_back = nullptr;
    QStackedWidget* m_pictures;
    MatrixCanvas* m_canvas;
    CallGraphCanvas* m_calls;
    TableView* m_table;
    TimeRange m_range;  // what was asked about; empty: the whole run
    std::shared_ptr<const CommMatrix> m_asked;
    std::shared_ptr<const CommMatrix> m_matrix;  // that, or with the bytes of collective calls
    std::shared_ptr<const MatrixGrid> m_grid;
    std::shared_ptr<const CommMatrix> m_listed;  // what the table lists: m_matrix, or the parts of a cell
    std::vector<std::size_t> m_order;            // by row of the table: the index of its cell in m_listed
    QTimer m_settling;
    Watch<CommMatrixQuestion> m_job;
    Watch<CommMatrixQuestion> m_parts;
};

}  // namespace longpole
