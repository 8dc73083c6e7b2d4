// SPDX-License-Identifier: GPL-3.0-or-later
// A sheet in which to type the processors that shall show, in the grammar of Projections, or to choose a group of them:
// a node, a process, a communicator.
#pragma once

#include "analysis/mpi/processgroups.h"
#include "app/gui/frame/overlay.h"
#include "core/base/ids.h"
#include "core/trace/vocabulary.h"

class QComboBox;
class QLabel;

namespace longpole {

class ProcessorSheet : public Overlay {
    Q_OBJECT
public:
    explicit ProcessorSheet(QWidget* window);

    // Of PEs 0 .. processors - 1; `shown`: those that show now, empty: all. There is no list of groups yet.
    void ask(Vocabulary words, std::int64_t processors, const std::vector<ProcessorId>& shown);
    // What can be chosen instead of typed; none: there is no list.
    void setGroups(std::shared_ptr<const std::vector<ProcessGroup>> groups);
    QLineEdit& field() { return *m_field; }
    QLabel& message() { return *m_message; }  // what is wrong with it, or how to write it

Q_SIGNALS:
    void chosen(const std::vector<longpole::ProcessorId>& pes);  // empty: all

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    QSize wanted() const override;
    void opened() override;

private:
    void say(const QString& text, bool isError);
    void accept();

    Vocabulary m_words;
    QLabel* m_title;
    QLineEdit* m_field;
    QComboBox* m_groups;
    std::shared_ptr<const std::vector<ProcessGroup>> m_known;  // in the list, behind its title
    QLabel* m_message;  // how to write them, or what is wrong with what was typed
    std::int64_t m_processors = 0;
};

}  // namespace longpole
