// SPDX-License-Identifier: GPL-3.0-or-later
// What changed from the open run to the second one, all that `longpole compare` says: entry methods by change, figures
// of both runs, tenths of their time, and in words iterations, what entered and left the critical path, waits, and
// advice.
#pragma once

#include "views/state/comparisonsource.h"
#include "views/widgets/computedpanel.h"

#include <memory>

class QTextBrowser;

namespace longpole {

class EmptyState;
class SideBySide;
class TableView;

class ComparisonPanel : public ComputedPanel {
    Q_OBJECT
public:
    // `state` belongs to the open run; a click on a row sets its filter.
    ComparisonPanel(ViewState& state, ComparisonSource& source, QWidget* parent = nullptr);

    TableView& table() { return *m_table; }
    TableView& figures() { return *m_figures; }
    TableView& tenths() { return *m_tenths; }  // hidden where both runs repeat one phase
    QTextBrowser& text() { return *m_text; }

Q_SIGNALS:
    void secondRequested();  // the user wants to open another run

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override { return m_source.fraction(); }
    void clear() override;
    void changeEvent(QEvent* event) override;

private:
    void follow();
    void showEmpty();
    void showComparison();
    void showColours();
    void showMethods(const std::shared_ptr<const Comparison>& comparison);
    void showFigures(const Comparison& comparison);
    void choose(std::size_t row);

    ViewState& m_state;
    ComparisonSource& m_source;
    std::shared_ptr<const Comparison> m_shown;
    SideBySide* m_parts;
    EmptyState* m_empty;
    TableView* m_table;
    TableView* m_figures;
    TableView* m_tenths;
    QTextBrowser* m_text;
    bool m_beginning = false;
};

}  // namespace longpole
