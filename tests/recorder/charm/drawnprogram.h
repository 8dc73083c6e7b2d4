// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn Charm++ programs on several PEs, with the longest path of each by a plain computation over all that happened;
// and the replay of their logs, whose answers come in any order.
#pragma once

#include "recorder/charm/activitylog.h"
#include "recorder/charm/pathreplay.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace longpole_module::test {

using Time = std::int64_t;

inline constexpr ActivityLog::Merge noArrival{0, ActivityLog::noMerge, ActivityLog::noTask};

// What led to a task: a task and how far it had come.
struct Cause {
    int task = -1;
    Time offset = 0;
};

struct DrawnTask {
    int pe = 0;
    std::uint64_t index = 0;  // on its PE
    std::uint16_t entry = 0;
    Time begin = 0, duration = 0;
    std::vector<Cause> causes{};
    bool hasMessage = false;  // the first of the causes is its message; the others are merges
    Time head = 0;
};

struct DrawnMessage {
    Time sent = 0;
    MessageKey key{};
    std::uint16_t entry = 0;
    Cause sender{};
    bool isForeign = false;  // another entry method than it was made for runs with its key
};

// Random tasks that send each other messages, on PEs that take them in any order.
class DrawnProgram {
public:
    DrawnProgram(unsigned seed, int pes, int tasks, bool hasOtherNumbers, std::size_t mostBytes = 1u << 26)
        : m_random(seed), m_hasOtherNumbers(hasOtherNumbers)
    {
        for (int pe = 0; pe < pes; ++pe) {
            logs.emplace_back(std::make_unique<ActivityLog>(mostBytes, static_cast<std::uint64_t>(pe)));
            m_clock.push_back(0);
            m_nextEvent.push_back(draw(5));
            m_last.push_back(-1);
            m_merges.push_back({});
        }
        for (int i = 0; i < pes; ++i) m_messages.push_back(DrawnMessage{0, MessageKey{-1, 0}, 0, {}, false});
        while (static_cast<int>(all.size()) < tasks && !m_messages.empty()) runOne();
    }

    // The longest work before each task, in the order in which they ran: what leads to a task ran before it.
    Time length(PathLevel level)
    {
        std::vector<int> last(logs.size(), -1);
        Time longest = -1;
        for (std::size_t i = 0; i < all.size(); ++i) {
            DrawnTask& task = all[i];
            task.head = 0;
            for (std::size_t c = 0; c < task.causes.size(); ++c) {
                if (level == MessagesLevel && (c > 0 || !task.hasMessage)) break;
                const Cause& cause = task.causes[c];
                task.head = std::max(task.head, all[static_cast<std::size_t>(cause.task)].head + cause.offset);
            }
            int& before = last[static_cast<std::size_t>(task.pe)];
            if (level == OrderLevel && before >= 0) {
                const DrawnTask& other = all[static_cast<std::size_t>(before)];
                task.head = std::max(task.head, other.head + other.duration);
            }
            before = static_cast<int>(i);
            longest = std::max(longest, task.head + task.duration);
        }
        return longest;
    }
    const DrawnTask& task(int pe, std::uint64_t index) const
    {
        return *std::find_if(all.begin(), all.end(),
                             [&](const DrawnTask& task) { return task.pe == pe && task.index == index; });
    }
    int draw(int below) { return static_cast<int>(m_random() % static_cast<unsigned>(below)); }

    std::vector<std::unique_ptr<ActivityLog>> logs;
    std::vector<DrawnTask> all;

private:
    void send(int pe, Time now, const Cause& sender, std::uint16_t entry)
    {
        const std::size_t at = static_cast<std::size_t>(pe);
        const bool isArrayBroadcast = draw(6) == 0;
        DrawnMessage message{now, MessageKey{pe, 0}, entry, sender, false};
        if (m_hasOtherNumbers) {
            m_nextEvent[at] += 1 + draw(3);
            message.key.event = static_cast<std::uint32_t>(m_nextEvent[at]);
            logs[at]->send(now, entry, isArrayBroadcast, message.key.event);
        } else {
            message.key.event = logs[at]->send(now, entry, isArrayBroadcast);
        }
        for (int copies = isArrayBroadcast ? 3 : 1; copies > 0; --copies) {
            // A step on a broadcast's way has another entry method and still depends on it.
            if (draw(5) == 0) message.entry = static_cast<std::uint16_t>(draw(8));
            message.isForeign = message.entry != entry && !isArrayBroadcast;
            m_messages.push_back(message);
        }
    }

    void runOne()
    {
        const std::size_t which = static_cast<std::size_t>(
            draw(static_cast<int>(std::min<std::size_t>(m_messages.size(), 8))));
        DrawnMessage message = m_messages[which];
        m_messages.erase(m_messages.begin() + static_cast<std::ptrdiff_t>(which));
        const int pe = draw(static_cast<int>(logs.size()));
        const std::size_t at = static_cast<std::size_t>(pe);
        ActivityLog& log = *logs[at];
        Time now = std::max(m_clock[at], message.sent) + draw(50);
        const bool isBlock = m_last[at] >= 0 && draw(12) == 0;
        if (draw(3) == 0) log.idle();
        DrawnTask task{pe, log.endOfTasks(), message.entry, now, 0, {}, false, 0};
        log.begin(now, message.entry, isBlock ? MessageKey{pe, blockEvent} : message.key);
        if (isBlock) {
            const DrawnTask& before = all[static_cast<std::size_t>(m_last[at])];
            task.causes.push_back({m_last[at], before.duration});
            m_messages.push_front(message);
        } else if (message.sender.task >= 0 && !message.isForeign) {
            task.causes.push_back(message.sender);
        }
        task.hasMessage = !task.causes.empty();
        const int number = static_cast<int>(all.size());
        merge(pe, task, isBlock ? DrawnMessage{0, MessageKey{pe, blockEvent}, 0, {}, true} : message);
        const Time begin = now;
        for (int parts = draw(4); parts > 0; --parts) {
            now += draw(100);
            // Of an execution inside of it the messages are the task's.
            const bool isInner = draw(3) == 0;
            const std::uint16_t inner = static_cast<std::uint16_t>(draw(8));
            if (isInner) log.begin(now, inner, MessageKey{pe, 7});
            if (isInner) now += draw(20);
            send(pe, now, {number, now - begin}, static_cast<std::uint16_t>(draw(8)));
            if (isInner) log.end(now += draw(20));
        }
        // Some tasks take longer than 32 bits of nanoseconds hold.
        now += draw(200) == 0 ? 5'000'000'000 + draw(1000) : draw(100);
        log.end(now);
        task.duration = now - begin;
        all.push_back(task);
        m_last[at] = number;
        // The run-time system sends on after a task, unless the PE has idled.
        if (draw(6) == 0) {
            now += draw(10);
            if (draw(2) == 0) log.idle();
            else {
                send(pe, now, {number, task.duration}, static_cast<std::uint16_t>(draw(8)));
                m_clock[at] = now;
                return;
            }
            send(pe, now, {}, static_cast<std::uint16_t>(draw(8)));
        }
        m_clock[at] = now;
    }

    // Some tasks merge at one of two points of their PE; each is one more cause of those that arrive later.
    void merge(int pe, DrawnTask& task, const DrawnMessage& message)
    {
        if (draw(4) != 0) return;
        Arrivals& arrivals = m_merges[static_cast<std::size_t>(pe)][static_cast<std::size_t>(draw(2))];
        if (draw(5) == 0) arrivals = Arrivals();
        arrivals.merge = logs[static_cast<std::size_t>(pe)]->merge(arrivals.merge);
        for (const DrawnMessage& before : arrivals.messages)
            if (before.sender.task >= 0 && !isBlockKey(before)) task.causes.push_back(before.sender);
        arrivals.messages.push_back(message);
    }
    // A block has no message to wait for.
    static bool isBlockKey(const DrawnMessage& message) { return message.key.event == blockEvent; }

    struct Arrivals {
        ActivityLog::Merge merge = noArrival;
        std::vector<DrawnMessage> messages{};
    };
    std::mt19937 m_random;
    bool m_hasOtherNumbers;
    std::vector<Time> m_clock;
    std::vector<int> m_nextEvent;
    std::vector<int> m_last;
    std::vector<std::array<Arrivals, 2>> m_merges;
    std::deque<DrawnMessage> m_messages;
};

// All PEs' replays, and what is under way between them, delivered in any order.
class Replayed {
public:
    Replayed(DrawnProgram& program, PathLevel level) : m_program(program)
    {
        const int pes = static_cast<int>(program.logs.size());
        for (int pe = 0; pe < pes; ++pe)
            m_replays.emplace_back(std::make_unique<PathReplay>(*program.logs[static_cast<std::size_t>(pe)], pe, pes,
                                                                level, Time{1} << 46, 8));
        struct Letter {
            int from, to;
            std::vector<Question> questions;
            std::vector<Answer> answers;
        };
        std::vector<Letter> letters;
        for (int pe = 0; pe < pes; ++pe)
            for (const auto& [to, questions] : of(pe).questions()) letters.push_back({pe, to, questions, {}});
        const auto goOn = [&](int pe) {
            of(pe).run();
            for (auto& [to, answers] : of(pe).takeAnswers()) letters.push_back({pe, to, {}, answers});
        };
        for (int pe = 0; pe < pes; ++pe) goOn(pe);
        while (!letters.empty()) {
            const std::size_t which = static_cast<std::size_t>(program.draw(static_cast<int>(letters.size())));
            const Letter letter = letters[which];
            letters.erase(letters.begin() + static_cast<std::ptrdiff_t>(which));
            of(letter.to).ask(letter.from, letter.questions);
            of(letter.to).hear(letter.from, letter.answers);
            goOn(letter.to);
        }
        for (int pe = 0; pe < pes; ++pe)
            if (of(pe).farthest() > length) {
                length = of(pe).farthest();
                m_end = pe;
            }
    }
    PathReplay& of(int pe) { return *m_replays[static_cast<std::size_t>(pe)]; }
    bool isComplete() const
    {
        return std::all_of(m_replays.begin(), m_replays.end(), [](const auto& replay) { return replay->isComplete(); });
    }
    // The steps of all PEs, newest first.
    std::vector<std::pair<int, ReplayStep>> walk()
    {
        std::uint64_t number = 0;
        Hop hop = of(m_end).walk(number);
        while (hop.pe >= 0) hop = of(hop.pe).walk(hop, number);
        std::vector<std::pair<int, ReplayStep>> steps;
        for (std::size_t pe = 0; pe < m_replays.size(); ++pe)
            for (const ReplayStep& step : m_replays[pe]->steps()) steps.emplace_back(static_cast<int>(pe), step);
        std::sort(steps.begin(), steps.end(),
                  [](const auto& a, const auto& b) { return a.second.number < b.second.number; });
        return steps;
    }
    Time length = -1;

private:
    DrawnProgram& m_program;
    std::vector<std::unique_ptr<PathReplay>> m_replays;
    int m_end = 0;
};

}  // namespace longpole_module::test
