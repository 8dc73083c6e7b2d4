// SPDX-License-Identifier: GPL-3.0-or-later
// One PE's part of finding the longest path through what all PEs' logs hold (Dooley, Arya, Kale 2010, section 4;
// docs/algorithms.md 2.1): the longest work before each task, and the walk back. What it needs of other PEs it asks in
// questions, which somebody carries; so it is tried without Charm++. C++11 and nothing else.
#ifndef LONGPOLE_PATHREPLAY_H
#define LONGPOLE_PATHREPLAY_H

#include "activitylog.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace longpole_module {

// What leads to a task: its message; and what the program recorded as merges; and the task before it on its PE.
enum PathLevel : std::int32_t { MessagesLevel, MergesLevel, OrderLevel };

// How a path came into a task.
enum PathLink : std::uint8_t { StartLink, OrderLink, MessageLink, MergeLink };

struct Question {
    std::uint32_t event;  // of the PE that is asked
    std::uint32_t entry;  // that the message started; anyEntry: whatever it was for
};
const std::uint32_t anyEntry = 0xffffffffu;
struct Answer {
    std::uint32_t event;
    std::uint32_t entry;
    std::int64_t value;                       // nanoseconds of work until it was sent; or:
    static const std::int64_t noSender = -1;  // nothing that is kept leads to it
    static const std::int64_t later = -2;     // it was sent after the logs were cut
};

// The way back goes on at the task that sent this message.
struct Hop {
    std::int32_t pe = -1;  // -1: the path begins here
    std::uint32_t event = 0;
    std::uint32_t entry = 0;
    std::int64_t begin = 0;  // of the task that it started, on that one's PE
};

struct ReplayStep {
    std::uint64_t number;  // from the path's end back, which is 0
    std::uint64_t task;
    std::int64_t begin;
    std::int64_t weight;
    std::uint32_t entry;
    PathLink link;
};

class PathReplay {
public:
    using Time = std::int64_t;

    // The log is cut as it is `now`, and must be held until we are gone. `entries`: how many the program has.
    PathReplay(const ActivityLog &log, std::int32_t pe, std::int32_t pes, PathLevel level, Time now,
               std::size_t entries);

    // What other PEs are to be asked, all at once.
    const std::map<std::int32_t, std::vector<Question>> &questions() const { return m_questions; }
    // Questions and answers of another PE; then, or at first, run() goes as far as values are known.
    void ask(std::int32_t from, const std::vector<Question> &questions);
    void hear(std::int32_t from, const std::vector<Answer> &answers);
    void run();
    // What others asked and is known now. Each question is answered once.
    std::map<std::int32_t, std::vector<Answer>> takeAnswers();

    // Whether all tasks have their values; answers to others may follow.
    bool isComplete() const { return m_known == m_heads.size(); }
    // The task whose end is farthest along, the first of equal ones; -1: there is none.
    Time farthest() const { return m_farthest; }

    // Walks back from the end of the farthest task, or from the sending of a message, as far as it is on this PE.
    // `number`: of the first step, and after it of the next one's.
    Hop walk(std::uint64_t &number);
    Hop walk(const Hop &from, std::uint64_t &number);

    // What was walked here.
    const std::vector<ReplayStep> &steps() const { return m_steps; }
    struct Sums {
        Time onPath = 0;  // of the innermost execution
        Time waited = 0;  // from the sending of messages on the path to the begin of what they started
        Time busy = 0;    // all of this PE
        std::uint64_t steps = 0;
        std::uint64_t tasks = 0;
    };
    const std::vector<Sums> &sums() const { return m_sums; }  // by entry method
    void sumUpTasks();                                        // `busy` and `tasks`
    Time firstBegin() const;                                  // INT64_MAX: none
    std::size_t tasks() const { return m_heads.size(); }

private:
    enum : std::int64_t { unknown = -3 };  // more than Answer knows
    enum : std::uint32_t { none = 0xffffffffu };
    struct NeedKey {
        std::int32_t pe;
        Question question;
        bool operator==(const NeedKey &other) const
        {
            return pe == other.pe && question.event == other.question.event && question.entry == other.question.entry;
        }
    };
    struct NeedHash {
        std::size_t operator()(const NeedKey &key) const
        {
            const std::uint64_t bits = (std::uint64_t(key.question.event) << 32)
                                       ^ (std::uint64_t(key.question.entry) << 20) ^ static_cast<std::uint32_t>(key.pe);
            return static_cast<std::size_t>(bits * 0x9e3779b97f4a7c15u >> 7);
        }
    };
    struct Need {  // a message of another PE
        Time value = unknown;
        std::uint32_t firstWaiting = none;
    };
    struct Asked {
        std::int32_t from;
        Question question;
    };

    // Of a row of merges: the value of the longest of all that had arrived.
    struct Merged {
        Time value = unknown;
        std::uint64_t row = 0;  // whose message that was
    };
    bool isMergeOf(std::uint64_t row, std::uint64_t task) const
    {
        return row < m_endOfMerges && m_log.mergeAt(row).task == task;
    }
    Merged &merged(std::uint64_t row) { return m_merged[static_cast<std::size_t>(row - m_firstMerge)]; }
    bool isElsewhere(std::int32_t pe) const { return pe >= 0 && pe < m_pes && pe != m_pe; }
    // Of the message that a task has (StartLink: it has none), of what it also waited for, or of the task before. Sets
    // `source` where that is on this PE; `list` is where to wait for what is unknown.
    Time messageValue(std::uint64_t task, MessageKey key, std::uint32_t entry, std::uint32_t *&list);
    Time sentValue(std::uint32_t event, std::uint32_t entry, std::uint64_t before, std::uint32_t *&list);
    Time afterTask(std::uint64_t task, std::uint32_t *&list);
    Time headOf(std::uint64_t task, std::uint32_t *&list);
    Time mergeValue(std::uint64_t row, std::uint32_t *&list);
    bool findSource(std::uint32_t event, std::uint32_t entry, std::uint64_t before, ActivityLog::Send &send,
                    bool &isLater) const;
    void evaluate(std::uint32_t id);
    void answer(const Asked &asked, std::uint32_t id);
    void note(std::uint64_t task, Time head);
    Hop walkFrom(std::uint64_t task, Time upTo, std::uint64_t &number);
    Time durationOf(std::uint64_t task) const;
    bool goOn(MessageKey key, std::uint32_t entry, Time head, std::uint64_t &task, Time &upTo, Hop &hop);

    const ActivityLog &m_log;
    std::int32_t m_pe, m_pes;
    PathLevel m_level;
    Time m_now;
    bool m_isRunning;  // the last task, when the log was cut
    std::uint64_t m_firstTask, m_endOfSends;
    std::uint64_t m_firstMerge, m_endOfMerges;
    std::vector<Time> m_heads;                 // by task - m_firstTask
    std::vector<Merged> m_merged;              // by row - m_firstMerge
    std::vector<std::uint32_t> m_waitingFor;   // by task: the first of a list of those that wait for it
    std::vector<std::uint32_t> m_nextWaiting;  // by who waits: tasks, and behind them what was asked
    std::unordered_map<NeedKey, Need, NeedHash> m_needs;
    std::map<std::int32_t, std::vector<Question>> m_questions;
    std::vector<Asked> m_asked;
    std::map<std::int32_t, std::vector<Answer>> m_answers;  // not taken yet
    std::vector<std::uint32_t> m_ready;                     // who waits no longer
    std::size_t m_known = 0;
    Time m_farthest = -1;
    std::uint64_t m_farthestTask = 0;
    std::vector<ReplayStep> m_steps;
    std::vector<Sums> m_sums;
};

}  // namespace longpole_module

#endif
