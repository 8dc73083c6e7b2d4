// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/evidencelist.h"

#include "core/trace/format.h"
#include "views/drawing/graphs/experttext.h"
#include "views/widgets/linklabel.h"

#include <QVBoxLayout>

namespace longpole {

EvidenceList::EvidenceList(std::vector<Evidence> evidence, Vocabulary words, TimeNs zero, std::size_t few,
                           QWidget* parent)
    : QWidget(parent), m_evidence(std::move(evidence)), m_words(words), m_zero(zero), m_few(few),
      m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(4);
    const std::size_t first = m_evidence.size() <= few + 1 ? m_evidence.size() : few;
    add(0, first);
    if (first == m_evidence.size()) return;
    m_more = new LinkLabel(QStringLiteral("muted"), this);
    m_more->setLink(tr("%1 more").arg(formatCount(static_cast<std::int64_t>(m_evidence.size() - first))));
    connect(m_more, &LinkLabel::followed, this, &EvidenceList::showAll);
    m_rows->addWidget(m_more);
}

void EvidenceList::add(std::size_t first, std::size_t last)
{
    for (std::size_t i = first; i < last; ++i) {
        const Evidence& evidence = m_evidence[i];
        auto* label = new LinkLabel(QStringLiteral("muted"), this);
        label->setLink(placeText(m_words, evidence, m_zero),
                       evidence.text.isEmpty() ? QString() : QStringLiteral("  ") % evidence.text);
        label->setToolTip(tr("Show it in every view"));
        connect(label, &LinkLabel::followed, this, [this, i] { Q_EMIT chosen(m_evidence[i]); });
        m_rows->addWidget(label);
    }
}

void EvidenceList::showAll()
{
    if (!m_more) return;
    m_rows->removeWidget(m_more);
    m_more->hide();
    m_more->deleteLater();  // not at once: a click on it may have brought us here
    m_more = nullptr;
    add(m_few, m_evidence.size());
}

std::vector<LinkLabel*> EvidenceList::links() const
{
    std::vector<LinkLabel*> links;
    for (int i = 0; i < m_rows->count(); ++i)
        if (auto* label = qobject_cast<LinkLabel*>(m_rows->itemAt(i)->widget()); label && label != m_more)
            links.push_back(label);
    return links;
}

}  // namespace longpole
