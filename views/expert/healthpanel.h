// SPDX-License-Identifier: GPL-3.0-or-later
// How far the trace can be trusted, as a page of cards: a verdict, what the figures rest on, and every soft error of
// the import.
#pragma once

#include "analysis/expert/expertquestions.h"
#include "core/trace/vocabulary.h"
#include "views/state/viewstate.h"
#include "views/state/watch.h"

#include <QScrollArea>
#include <QString>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QVBoxLayout;

namespace longpole {

// One card of the page. `share` (0..1), if any, is drawn as a bar.
struct HealthNote {
    QString title;
    QString text;
    std::optional<double> share;
    std::vector<std::pair<QString, QString>> lines{};  // below it: words in bold and what they are of
};

// What makes figures doubtful: unmatched executions, estimated receive times, repaired messages on the path, missing
// logs, time that was not traced. Only figures that are not zero.
std::vector<HealthNote> healthFigures(Vocabulary words, const Health& health);
std::vector<HealthNote> healthIssues(const std::vector<HealthIssue>& issues);

class HealthPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit HealthPanel(ViewState& state, QWidget* parent = nullptr);

    // Null until the graph is loaded and judged. A summary, which has no graph, is judged at once.
    const std::shared_ptr<const Health>& health() const { return m_health; }
    int notes() const { return m_notes; }  // kinds of soft errors
    QString countText() const;             // "2 notes"; empty for none
    QString toText() const;                // the whole page

Q_SIGNALS:
    void countChanged();

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void judge();
    void show(const QString& verdict, const std::vector<HealthNote>& figures, const std::vector<HealthNote>& issues);
    void addCard(const HealthNote& note);
    void copyJson();

    ViewState& m_state;
    QVBoxLayout* m_cards = nullptr;
    QString m_verdict;
    std::vector<HealthNote> m_shown;
    std::shared_ptr<const Health> m_health;
    int m_notes = 0;
    Watch<HealthQuestion> m_judging;
};

}  // namespace longpole
