// SPDX-License-Identifier: GPL-3.0-or-later
// What to change first: all advice ranked, each with its gain and where to see why; below it what was not judged.
#pragma once

#include "views/expert/advicecard.h"
#include "views/expert/expertpanel.h"
#include "views/widgets/tablemodel.h"

#include <vector>

class QScrollArea;
class QVBoxLayout;

namespace longpole {

// All advice as a table, for CSV and JSON: as `longpole advise --csv` has it.
TableContent adviceContent(const std::shared_ptr<const Expert>& expert, std::shared_ptr<const TraceStore> store);

class AdvicePanel : public ExpertPanel {
    Q_OBJECT
public:
    AdvicePanel(ViewState& state, QWidget* parent = nullptr);

    const std::vector<AdviceCard*>& cards() const { return m_cards; }
    QString countText() const;  // "3"; empty for none, or as long as that is not known
    QString toText() const;     // all of the page
    // The entry methods that advice wants to prefer, as .json, .h or .csv.
    void exportPriorities(const QString& file);

Q_SIGNALS:
    void countChanged();
    void treeRequested();
    void prioritiesRequested();
    // Offered only where somebody listens.
    void replayRequested(const longpole::Advice& advice);

protected:
    void showExpert() override;
    QString summary() const override { return {}; }
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void addWords(const QString& text);
    void addAdvice(const Advice& advice, int rank, const AdviceFrame& frame);
    void addScheduling();
    void addUnjudged();
    QString introduction() const;
    QString reason() const;
    void exportCsv();
    void write(const QByteArray& bytes, const QString& file);

    QScrollArea* m_scroll = nullptr;
    QVBoxLayout* m_rows = nullptr;
    std::vector<AdviceCard*> m_cards;
    QStringList m_words;  // beside the cards
};

}  // namespace longpole
