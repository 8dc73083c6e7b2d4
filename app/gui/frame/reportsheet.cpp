// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/reportsheet.h"

#include "analysis/compare/trialfinding.h"
#include "analysis/report/analyses.h"
#include "core/base/translate.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

ReportSheet::ReportSheet(QWidget* window)
    : Overlay(window), m_list(new QVBoxLayout),
      m_view(new QCheckBox(tr("What was looked at: visible and marked range, its path, bookmarks"), this)),
      m_accept(new QPushButton(tr("Choose the file …"), this))
{
    auto* title = new QLabel(tr("What the report says"), this);
    title->setObjectName(QStringLiteral("panelTitle"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 14);
    layout->setSpacing(8);
    layout->addWidget(title);
    layout->addWidget(m_view);
    m_list->setSpacing(4);
    layout->addLayout(m_list);
    layout->addWidget(m_accept, 0, Qt::AlignRight);
    m_accept->setDefault(true);
    connect(m_view, &QCheckBox::toggled, this, &ReportSheet::showWhetherAny);
    connect(m_accept, &QPushButton::clicked, this, [this] {
        const ReportChoice chosenNow = choice();
        close();
        Q_EMIT chosen(chosenNow);
    });
}

void ReportSheet::ask(Vocabulary words, const ReportChoice& choice, bool hasView, bool hasTrials)
{
    for (const auto& [id, box] : m_sections) delete box;
    m_sections.clear();
    m_withView = choice.withView;
    m_view->setChecked(hasView && choice.withView);
    m_view->setEnabled(hasView);
    m_view->setToolTip(hasView ? QString()
                               : tr("The whole run shows and nothing is marked: there is nothing to say of it."));
    if (hasTrials) addSection(QLatin1String(trialFindingId), trialFindingTitle(), choice);
    for (const Analysis* analysis : analyses()) {
        if (words.ofRanks() ? analysis->needsObjects : analysis->needsRanks) continue;
        addSection(QLatin1String(analysis->id), longpole::tr(words.say(analysis->title)), choice);
    }
    showWhetherAny();
    open();
}

void ReportSheet::addSection(const QString& id, const QString& title, const ReportChoice& choice)
{
    auto* box = new QCheckBox(title, this);
    box->setChecked(!choice.without.contains(id));
    connect(box, &QCheckBox::toggled, this, &ReportSheet::showWhetherAny);
    m_list->addWidget(box);
    m_sections.emplace_back(id, box);
}

std::vector<QCheckBox*> ReportSheet::boxes() const
{
    std::vector<QCheckBox*> all{m_view};
    for (const auto& section : m_sections) all.push_back(section.second);
    return all;
}

void ReportSheet::opened() { m_accept->setFocus(); }

ReportChoice ReportSheet::choice() const
{
    ReportChoice choice{.without = {}, .withView = m_view->isEnabled() ? m_view->isChecked() : m_withView};
    for (const auto& [id, box] : m_sections)
        if (!box->isChecked()) choice.without << id;
    return choice;
}

// A report needs a section at least.
void ReportSheet::showWhetherAny()
{
    const std::vector<QCheckBox*> all = boxes();
    m_accept->setEnabled(std::any_of(all.begin(), all.end(),
                                     [](const QCheckBox* box) { return box->isChecked() && box->isEnabled(); }));
}

}  // namespace longpole
