// SPDX-License-Identifier: GPL-3.0-or-later
// Evidence as a list of links, of which the first few show at once and the rest on demand.
#pragma once

#include "analysis/base/evidence.h"
#include "core/base/timerange.h"
#include "core/trace/vocabulary.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace longpole {

class LinkLabel;

class EvidenceList : public QWidget {
    Q_OBJECT
public:
    // Shown times count from `zero`. `few`: how many links show at once.
    EvidenceList(std::vector<Evidence> evidence, Vocabulary words, TimeNs zero, std::size_t few,
                 QWidget* parent = nullptr);

    std::vector<LinkLabel*> links() const;  // those that show
    void showAll();

Q_SIGNALS:
    void chosen(const longpole::Evidence& evidence);

private:
    void add(std::size_t first, std::size_t last);

    std::vector<Evidence> m_evidence;
    Vocabulary m_words;
    TimeNs m_zero;
    std::size_t m_few;
    QVBoxLayout* m_rows;
    LinkLabel* m_more = nullptr;
};

}  // namespace longpole
