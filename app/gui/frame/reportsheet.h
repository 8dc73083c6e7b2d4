// SPDX-License-Identifier: GPL-3.0-or-later
// A sheet in which to choose what an exported report says: its sections, and what the window shows.
#pragma once

#include "app/gui/frame/overlay.h"
#include "core/trace/vocabulary.h"

#include <QStringList>

#include <utility>
#include <vector>

class QCheckBox;
class QPushButton;
class QVBoxLayout;

namespace longpole {

struct ReportChoice {
    QStringList without;   // ids of analyses that are left out
    bool withView = true;  // what the window shows is a section
    friend bool operator==(const ReportChoice&, const ReportChoice&) = default;
};

class ReportSheet : public Overlay {
    Q_OBJECT
public:
    explicit ReportSheet(QWidget* window);

    // With the sections that such a run's report can have. `hasView`: not just the whole run shows; `hasTrials`: advice
    // was tried.
    void ask(Vocabulary words, const ReportChoice& choice, bool hasView, bool hasTrials);
    std::vector<QCheckBox*> boxes() const;  // what the window shows, then the sections

Q_SIGNALS:
    void chosen(const longpole::ReportChoice& choice);

protected:
    void opened() override;

private:
    ReportChoice choice() const;
    void addSection(const QString& id, const QString& title, const ReportChoice& choice);
    void showWhetherAny();

    QVBoxLayout* m_list;
    QCheckBox* m_view;
    bool m_withView = true;  // the wish, also where there is nothing to say of it
    std::vector<std::pair<QString, QCheckBox*>> m_sections;
    QPushButton* m_accept;
};

}  // namespace longpole
