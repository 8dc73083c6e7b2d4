// SPDX-License-Identifier: GPL-3.0-or-later
// What stands beside the decision tree: why the chosen node fired or did not, each of its tests, what would change the
// verdict, and where it can be seen; or the longest idle times of one cause.
#pragma once

#include "analysis/expert/expert.h"
#include "core/trace/vocabulary.h"

#include <QScrollArea>

#include <vector>

class QVBoxLayout;

namespace longpole {

class EvidenceList;

class NodeDetail : public QScrollArea {
    Q_OBJECT
public:
    explicit NodeDetail(QWidget* parent = nullptr);

    // Shown times count from `zero`.
    void showNode(const TreeNode& node, const SharedAccess& shared, Vocabulary words, TimeNs zero);
    void showCause(IdleCause cause, const IdleLabels& idle, const std::vector<Evidence>& longest, Vocabulary words,
                   TimeNs zero);
    void clear();
    QString toText() const { return m_text; }              // all shown words
    EvidenceList* evidence() const { return m_evidence; }  // null if there is none

Q_SIGNALS:
    void evidenceChosen(const longpole::Evidence& evidence);
    void adviceRequested();
    void sharedRequested();  // asks for the view of shared variables

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void addHeading(const QString& text);
    void addWords(const QString& text, const QString& role);
    void addTest(const NodeTest& test);
    void addEvidence(const std::vector<Evidence>& evidence, TimeNs zero);
    void addAdvice(const QString& text);
    void addShared(const SharedAccess& shared);

    QVBoxLayout* m_rows;
    EvidenceList* m_evidence = nullptr;
    Vocabulary m_words;
    QString m_text;
};

}  // namespace longpole
