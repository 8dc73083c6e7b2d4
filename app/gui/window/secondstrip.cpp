// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/window/secondstrip.h"

#include "analysis/compare/comparisonwords.h"
#include "app/gui/session/secondtrace.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace longpole {

SecondStrip::SecondStrip(SecondTrace& second, QWidget* parent) : QWidget(parent), m_second(second)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    m_lock = add(tr("locked"), tr("Zoom and pan both timelines together"));
    m_byTime = add(tr("by time"), tr("The same time since begin stands above each other"));
    m_byPhase = add(tr("by phase"), {});
    connect(m_lock, &QPushButton::clicked, this, [this](bool on) { m_second.setLocked(on); });
    connect(m_byTime, &QPushButton::clicked, this, [this] { m_second.setAlignment(TimeAlignment::Time); });
    connect(m_byPhase, &QPushButton::clicked, this, [this] { m_second.setAlignment(TimeAlignment::Phase); });
    connect(&m_second, &SecondTrace::lockChanged, this, &SecondStrip::follow);
    follow();
}

QPushButton* SecondStrip::add(const QString& text, const QString& tip)
{
    auto* button = new QPushButton(text, this);
    button->setObjectName(QStringLiteral("flat"));
    button->setCheckable(true);
    button->setToolTip(tip);
    button->setFocusPolicy(Qt::TabFocus);
    layout()->addWidget(button);
    return button;
}

void SecondStrip::follow()
{
    const bool isByPhase = m_second.alignment() == TimeAlignment::Phase && m_second.canAlignByPhase();
    m_lock->setChecked(m_second.isLocked());
    m_byTime->setChecked(!isByPhase);
    m_byPhase->setChecked(isByPhase);
    m_byTime->setEnabled(m_second.isLocked());
    m_byPhase->setEnabled(m_second.isLocked() && m_second.canAlignByPhase());
    const std::shared_ptr<const Comparison>& comparison = m_second.comparison().comparison();
    if (!comparison) m_byPhase->setToolTip(tr("Once both runs have been looked through"));
    else if (!comparison->phase)
        m_byPhase->setToolTip(tr("The critical paths of these runs do not repeat the same sequence"));
    else m_byPhase->setToolTip(tr("The starts of iterations stand above each other: %1").arg(patternText(*comparison)));
}

}  // namespace longpole
