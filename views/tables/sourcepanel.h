// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the source the run's MPI calls are: the call tree or the places that make them, the functions of the path to
// what is chosen there or selected in the timeline, and the source around the chosen line.
#pragma once

#include "analysis/mpi/calltables.h"
#include "analysis/mpi/mpiquestions.h"
#include "views/state/watch.h"
#include "views/tables/codequestions.h"
#include "views/widgets/computedpanel.h"

#include <memory>
#include <vector>

class QComboBox;

namespace longpole {

class CodePane;
class SideBySide;
class SourceSettings;
class TableView;
class ViewState;

class SourcePanel : public ComputedPanel {
    Q_OBJECT
public:
    enum class Shown : std::uint8_t { Tree, Places };

    SourcePanel(ViewState& state, SourceSettings& settings, QWidget* parent = nullptr);

    QComboBox& shown() { return *m_shown; }
    TableView& table() { return *m_table; }
    TableView& frames() { return *m_frames; }
    CodePane& code() { return *m_code; }
    void openPath(std::uint32_t path);  // shows it, and opens its line in the editor

protected:
    bool begin() override;
    void stop() override;
    double fraction() const override;
    void clear() override;
    void showEvent(QShowEvent* event) override;

private:
    void createHead();
    void createParts();
    void showTree(const std::shared_ptr<const CallTree>& tree);
    void showPlaces(const std::shared_ptr<const std::vector<MpiSiteSums>>& sites);
    void chooseRow(std::size_t row, bool opens);
    void followSelection();
    void showFrames(const QString& what);
    void setFrames(std::vector<CodeFrame> frames, const QString& what, std::size_t chosen, bool opens);
    void chooseFrame(std::size_t frame, bool opens);
    QString nameOfSelection() const;

    ViewState& m_state;
    std::shared_ptr<const CallTree> m_tree;
    std::shared_ptr<const std::vector<CallSite>> m_places;
    std::shared_ptr<const std::vector<CodeFrame>> m_list;
    bool m_isBehind = false;  // what is selected was not asked about, as nobody looked
    QComboBox* m_shown = nullptr;
    SideBySide* m_parts = nullptr;
    TableView* m_table = nullptr;
    TableView* m_frames = nullptr;
    CodePane* m_code = nullptr;
    Watch<CallTreeQuestion> m_asking;
    Watch<CallSitesQuestion> m_askingPlaces;
    Watch<CodeQuestion> m_following;
};

}  // namespace longpole
