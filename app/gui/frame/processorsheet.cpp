// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/processorsheet.h"

#include "core/trace/format.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>

#include <utility>

namespace longpole {

ProcessorSheet::ProcessorSheet(QWidget* window)
    : Overlay(window), m_title(new QLabel(this)), m_field(new QLineEdit(this)), m_groups(new QComboBox(this)),
      m_message(new QLabel(this))
{
    m_field->setPlaceholderText(tr("all"));
    m_message->setWordWrap(true);
    m_title->setObjectName(QStringLiteral("panelTitle"));
    m_groups->setObjectName(QStringLiteral("processorGroups"));
    m_groups->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_groups->setMaxVisibleItems(16);
    m_groups->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 14);
    layout->setSpacing(8);
    layout->addWidget(m_title);
    layout->addWidget(m_field);
    layout->addWidget(m_groups);
    layout->addWidget(m_message);
    layout->addStretch();
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::returnPressed, this, &ProcessorSheet::accept);
    connect(m_field, &QLineEdit::textEdited, this, &ProcessorSheet::opened);
    connect(m_groups, &QComboBox::activated, this, [this](int item) {
        if (item > 0) m_field->setText(formatProcessors((*m_known)[static_cast<std::size_t>(item - 1)].members));
        m_field->setFocus();
    });
}

void ProcessorSheet::setGroups(std::shared_ptr<const std::vector<ProcessGroup>> groups)
{
    m_known = std::move(groups);
    m_groups->clear();
    m_groups->addItem(m_words.say(tr("A group of PEs"), tr("A group of ranks")));
    if (m_known)
        for (const ProcessGroup& group : *m_known)
            m_groups->addItem(tr("%1 (%2)").arg(group.name, formatProcessors(group.members)));
    m_groups->setVisible(m_groups->count() > 1);
    place();
}

void ProcessorSheet::ask(Vocabulary words, std::int64_t processors, const std::vector<ProcessorId>& shown)
{
    m_words = words;
    m_processors = processors;
    m_title->setText(words.say(tr("Choose PEs"), tr("Choose ranks")));
    m_field->setAccessibleName(words.say(tr("PEs"), tr("Ranks")));
    m_groups->setAccessibleName(words.say(tr("Groups of PEs"), tr("Groups of ranks")));
    setGroups(nullptr);
    m_field->setText(shown.empty() ? QString() : formatProcessors(shown));
    open();
    opened();  // also if it was open, for another run
    m_field->selectAll();
}

void ProcessorSheet::opened()
{
    const std::int64_t last = m_processors - 1;
    const QString text = last < 2    ? tr("Of 0 to %1. Nothing: all.").arg(last)
                         : last < 12 ? tr("Of 0 to %1, such as 0,2 or 0-%1:2 (from-to:step). Nothing: all.").arg(last)
                                     : tr("Of 0 to %1, such as 0-%2 or 1,3-9:3,11 (from-to:step). Nothing: all.")
                                           .arg(last)
                                           .arg(last / 2);
    say(text, false);
    m_field->setFocus();
}

QSize ProcessorSheet::wanted() const { return {460, sizeHint().height() + fontMetrics().height()}; }

void ProcessorSheet::say(const QString& text, bool isError)
{
    m_message->setObjectName(isError ? QStringLiteral("errorText") : QStringLiteral("muted"));
    m_message->style()->unpolish(m_message);
    m_message->style()->polish(m_message);
    m_message->setText(text);
}

void ProcessorSheet::accept()
{
    const QString text = m_field->text().trimmed();
    if (text.isEmpty()) {
        close();
        Q_EMIT chosen({});
        return;
    }
    const Result<std::vector<ProcessorId>> pes = parseProcessors(text, m_processors);
    if (!pes.ok()) {
        say(longpole::toText(pes.error()), true);
        return;
    }
    close();
    Q_EMIT chosen(*pes);
}

bool ProcessorSheet::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        close();
        return true;
    }
    return Overlay::eventFilter(watched, event);
}

}  // namespace longpole
