// SPDX-License-Identifier: GPL-3.0-or-later
// The overview: what all processors together did in each stage, or what each processor did in all stages: their time
// by entry method with idling and overhead, or any attributes.
#pragma once

#include "analysis/projection/stagequestions.h"
#include "views/drawing/basics/palette.h"
#include "views/plots/stack.h"
#include "views/projection/projectionpanel.h"
#include "views/state/watch.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;

namespace longpole {

class TableView;

class OverviewPanel : public ProjectionPanel {
    Q_OBJECT
public:
    enum class Against : std::uint8_t { Time, Processors };
    enum class Show : std::uint8_t { Share, Time, Attributes };

    explicit OverviewPanel(ViewState& state, QWidget* parent = nullptr);

    // The plots in use: one for stacks, or one for each unit of the chosen attributes.
    std::vector<PlotStack*> plots() const;
    TableView& table() { return *m_table; }
    void setShow(Show show);
    const std::shared_ptr<const EntryStacks>& stacks() const { return m_stacks; }
    // How many processors a bar stands for: more than one if there is no room for a bar each.
    std::size_t binSize() const;

protected:
    void ask() override;
    void showAnswers() override;
    void recolour() override;
    void showMarked() override;
    void cancelOwn() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void createWidgets();
    void fitTable();
    Against against() const;
    Show what() const;
    Statistic statistic() const;
    EntryStacksRequest stacksRequest() const;
    void askStacks();
    void acceptStacks(const Result<std::shared_ptr<const EntryStacks>>& stacks);
    void showStacks();
    void showStackTable();
    void showAttributes();
    void showAttributeTable(const std::vector<std::vector<double>>& values, const std::vector<ProjectionPtr>& shown);
    PlotStack::Content columns(const Stages& stages, const std::vector<ProcessorId>& pes) const;
    void showContent(PlotStack& plot, PlotStack::Content content, const PlotAxis& y);
    std::vector<double> binned(const std::vector<double>& values) const;
    PlotStack& plot(std::size_t i);
    void usePlots(std::size_t count);
    void hover(std::size_t i, double x, double y);
    QString columnText(std::size_t column) const;
    QString stackText(const PlotStack::Hit& hit) const;
    void click(double x);
    void doubleClick(double x);
    void drag(const QRectF& area);
    std::optional<TimeRange> stageAt(double x) const;
    std::vector<ProcessorId> processorsAt(std::size_t bin) const;
    QColor colourOf(const StackPart& part) const;
    const Stages& shownStages() const;
    const std::vector<ProcessorId>& shownPes() const;

    QComboBox* m_show = nullptr;
    QComboBox* m_against = nullptr;
    QComboBox* m_statistic = nullptr;
    QWidget* m_plots = nullptr;
    std::vector<PlotStack*> m_plot;
    std::vector<std::vector<std::size_t>> m_plotAnswers;  // by plot in use: indices of the feed's answers it draws
    TableView* m_table = nullptr;
    bool m_isTableMoved = false;  // the user has moved its edge
    std::shared_ptr<const EntryStacks> m_stacks;
    Palette m_palette;
    QTimer m_progress;
    Watch<EntryStacksQuestion> m_counting;
};

}  // namespace longpole
