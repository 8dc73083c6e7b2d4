// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/filterbar.h"

#include "core/trace/format.h"
#include "views/state/viewstate.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace longpole {

FilterBar::FilterBar(ViewState& state, QWidget* parent)
    : QFrame(parent), m_state(state), m_text(new QLabel(this)), m_clear(new QPushButton(tr("Show all tasks"), this))
{
    setAutoFillBackground(true);
    m_text->setObjectName(QStringLiteral("muted"));
    m_clear->setObjectName(QStringLiteral("link"));
    m_clear->setToolTip(tr("No longer dim tasks by how long they ran"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 4, 12, 4);
    layout->setSpacing(10);
    layout->addWidget(m_text);
    layout->addWidget(m_clear);
    layout->addStretch(1);
    connect(m_clear, &QPushButton::clicked, this, [this] { m_state.setTaskFilter({}); });
    connect(&m_state, &ViewState::taskFilterChanged, this, &FilterBar::showFilter);
    showFilter();
    setVisible(m_state.taskFilter().has_value());
}

void FilterBar::showFilter()
{
    if (m_state.taskFilter()) m_text->setText(tr("shown: tasks that ran %1").arg(grainText(m_state)));
}

QString grainText(const ViewState& state)
{
    if (!state.taskFilter()) return {};
    const TimeRange grain = state.taskFilter()->grain;
    if (grain.end == maxTime) return FilterBar::tr("%1 or longer").arg(formatTime(grain.begin));
    if (grain.begin <= 0) return FilterBar::tr("less than %1").arg(formatTime(grain.end));
    return FilterBar::tr("%1 to %2").arg(formatTime(grain.begin), formatTime(grain.end));
}

}  // namespace longpole
