// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/path/chips.h"

#include "core/trace/format.h"
#include "views/state/viewstate.h"

#include <QHBoxLayout>

namespace longpole {

namespace {

// "119.2 … 137.0 ms": the unit stands once if both ends have the same.
QString rangeText(TimeRange range, TimeNs zero)
{
    const TimeNs resolution = std::max<TimeNs>(1, range.length() / 100);
    const QString begin = formatTimeAt(range.begin - zero, resolution);
    const QString end = formatTimeAt(range.end - zero, resolution);
    const qsizetype blank = begin.lastIndexOf(QLatin1Char(' '));
    const bool sameUnit = blank > 0 && end.endsWith(begin.mid(blank));
    return (sameUnit ? begin.left(blank) : begin) % QStringLiteral(" … ") % end;
}

}  // namespace

PathChips::PathChips(ViewState& state, QWidget* parent)
    : QWidget(parent), m_state(state), m_back(new QPushButton(this)), m_marked(new QPushButton(this)),
      m_second(new QPushButton(this))
{
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_marked->setObjectName(QStringLiteral("quietChip"));
    m_marked->setText(tr("path of marked range"));
    m_marked->setToolTip(tr("Show the critical path of the marked range alone (R)"));
    m_back->setObjectName(QStringLiteral("chip"));
    m_back->setToolTip(tr("Show the critical path of the whole run again (Esc)"));
    m_second->setObjectName(QStringLiteral("quietChip"));
    m_second->setToolTip(tr("The thin path beside the critical one: take it away (Esc)"));
    layout->addWidget(m_second);
    layout->addWidget(m_marked);
    layout->addWidget(m_back);
    connect(m_back, &QPushButton::clicked, this, &PathChips::wholeRunRequested);
    connect(m_marked, &QPushButton::clicked, this, [this] { Q_EMIT rangeRequested(m_state.marked()); });
    connect(m_second, &QPushButton::clicked, this, [this] { m_state.setSecondPath({}); });
    for (const auto signal : {&ViewState::questionChanged, &ViewState::markedChanged, &ViewState::secondPathChanged})
        connect(&m_state, signal, this, &PathChips::showChips);
    showChips();
}

void PathChips::showChips()
{
    const PathQuestion& question = m_state.question();
    const bool hasRange = !question.range.isEmpty();
    const TimeNs zero = m_state.fullRange().begin;
    if (question.to && hasRange)
        m_back->setText(tr("path to task %1 in %2 · back to whole run")
                            .arg(longpole::toText(*question.to), rangeText(question.range, zero)));
    else if (question.to)
        m_back->setText(tr("path to task %1 · back to whole run").arg(longpole::toText(*question.to)));
    else if (hasRange) m_back->setText(tr("path of %1 · back to whole run").arg(rangeText(question.range, zero)));
    m_back->setVisible(question.to || hasRange);
    m_second->setText(tr("%1 · hide").arg(m_state.secondPath().name));
    m_second->setVisible(m_state.secondPath().path != nullptr);
    m_marked->setVisible(!hasRange && !m_state.marked().isEmpty());
}

}  // namespace longpole
