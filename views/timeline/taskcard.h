// SPDX-License-Identifier: GPL-3.0-or-later
// A card at the cursor that says what is known of one task, with links to the tasks that it names, or of an MPI call.
#pragma once

#include "views/state/viewstate.h"
#include "views/state/watch.h"
#include "views/timeline/gestures.h"
#include "views/timeline/timelinequestions.h"

#include <QFrame>

#include <memory>
#include <optional>

class QLabel;

namespace longpole {

// A task, with the one that sent its message. Of a rank's code that no message began: the MPI call that it follows on
// its rank, with the source of the code right after that call.
struct TaskCardFacts {
    TaskDetail task{};
    std::optional<RegionId> after{};
    Link link = Link::None;
    TaskId source{};  // of `task`, or of the call
    EntryId sourceEntry = noEntry;
};

struct TaskCardQuestion {
    using Answer = TaskCardFacts;
    static constexpr const char* id = "facts of a task";

    TaskId task{};

    Result<std::shared_ptr<const TaskCardFacts>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const TaskCardFacts& facts);
    friend bool operator==(const TaskCardQuestion&, const TaskCardQuestion&) = default;
};

// The lines of the card, as rich text whose task ids are links. `slack`: of the task, if it is known.
QString taskCardText(const TraceStore& store, const TaskCardFacts& facts, std::optional<TimeNs> slack);
// Of a call, from its sentence (views/state/mpicallwords.h), likewise.
QString callCardText(const QString& sentence);

// The same without links.
QString withoutLinks(const QString& card);

class TaskCard : public QFrame {
    Q_OBJECT
public:
    explicit TaskCard(ViewState& state, QWidget* parent);

    // Beside `at`, in coordinates of the parent, when its facts are there. It goes when the cursor has moved away, and
    // at every key but those that copy from it. One that only the cursor's rest brought has no links and lets the mouse
    // through; it goes, too, when the cursor would come over it.
    void showAt(const Selection& thing, std::optional<TimeNs> slack, QPoint at, CardRole role = CardRole::Kept);
    void followCursor(QPoint at);
    void leave();
    void leaveIfHovering();
    QLabel& text() { return *m_text; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void say(const QString& text);
    void place();

    ViewState& m_state;
    QLabel* m_text;
    Selection m_thing;
    CardRole m_role = CardRole::Kept;
    QPoint m_at;
    Watch<TaskCardQuestion> m_asked;
    Watch<CallSentenceQuestion> m_askedOfCall;
};

}  // namespace longpole
