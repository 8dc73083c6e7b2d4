// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks are looked at in their order. One that needs a value which is not known yet waits for that alone, in the list
// of the task or message that will bring it, and is looked at again then: no recursion, whatever the path is like.
#include "pathreplay.h"

namespace longpole_module {

PathReplay::PathReplay(const ActivityLog &log, std::int32_t pe, std::int32_t pes, PathLevel level, Time now,
                       std::size_t entries)
    : m_log(log), m_pe(pe), m_pes(pes), m_level(level), m_now(now), m_isRunning(log.isRunning()),
      m_firstTask(log.firstTask()), m_endOfSends(log.endOfSends()), m_firstMerge(log.firstMergeOf(log.firstTask())),
      m_endOfMerges(level == MessagesLevel ? m_firstMerge : log.endOfMerges()), m_sums(entries)
{
    const std::size_t tasks = static_cast<std::size_t>(log.endOfTasks() - log.firstTask());
    m_heads.assign(tasks, unknown);
    m_merged.resize(static_cast<std::size_t>(m_endOfMerges - m_firstMerge));
    m_waitingFor.assign(tasks, none);
    m_nextWaiting.assign(tasks, none);
    const auto need = [this](MessageKey key, std::uint32_t entry) {
        if (!isElsewhere(key.pe) || key.event == blockEvent) return;
        const Question question = {key.event, entry};
        if (m_needs.insert(std::make_pair(NeedKey{key.pe, question}, Need())).second)
            m_questions[key.pe].push_back(question);
    };
    for (std::size_t i = 0; i < tasks; ++i) {
        need(log.messageOf(m_firstTask + i), log.entryOf(m_firstTask + i));
        m_ready.push_back(static_cast<std::uint32_t>(tasks - 1 - i));  // the first task on top
    }
    for (std::uint64_t row = m_firstMerge; row < m_endOfMerges; ++row) need(log.mergeAt(row).key, anyEntry);
}

void PathReplay::ask(std::int32_t from, const std::vector<Question> &questions)
{
    for (const Question &question : questions) {
        m_ready.push_back(static_cast<std::uint32_t>(m_heads.size() + m_asked.size()));
        m_asked.push_back(Asked{from, question});
        m_nextWaiting.push_back(none);
    }
}

void PathReplay::hear(std::int32_t from, const std::vector<Answer> &answers)
{
    for (const Answer &answer : answers) {
        const auto found = m_needs.find(NeedKey{from, Question{answer.event, answer.entry}});
        if (found == m_needs.end()) continue;
        found->second.value = answer.value;
        for (std::uint32_t id = found->second.firstWaiting; id != none; id = m_nextWaiting[id]) m_ready.push_back(id);
        found->second.firstWaiting = none;
    }
}

void PathReplay::run()
{
    while (!m_ready.empty()) {
        const std::uint32_t id = m_ready.back();
        m_ready.pop_back();
        if (id < m_heads.size()) evaluate(id);
        else answer(m_asked[id - m_heads.size()], id);
    }
}

std::map<std::int32_t, std::vector<Answer>> PathReplay::takeAnswers()
{
    std::map<std::int32_t, std::vector<Answer>> taken;
    taken.swap(m_answers);
    return taken;
}

// Of the task that ran when the log was cut: until then.
PathReplay::Time PathReplay::durationOf(std::uint64_t task) const
{
    if (m_isRunning && task + 1 == m_firstTask + m_heads.size()) return m_now - m_log.beginOf(task);
    return m_log.durationOf(task, m_now);
}

PathReplay::Time PathReplay::headOf(std::uint64_t task, std::uint32_t *&list)
{
    const std::size_t at = static_cast<std::size_t>(task - m_firstTask);
    list = &m_waitingFor[at];
    return m_heads[at];
}

// Whether a task that is kept sent it, before `before` began.
bool PathReplay::findSource(std::uint32_t event, std::uint32_t entry, std::uint64_t before, ActivityLog::Send &send,
                            bool &isLater) const
{
    std::uint64_t row = 0;
    isLater = false;
    if (!m_log.findSend(event, row)) return false;
    send = m_log.sendAt(row);
    if (entry != anyEntry && entry != send.entry && !send.isArrayBroadcast) return false;
    isLater = row >= m_endOfSends;
    return !isLater && send.task != ActivityLog::noTask && send.task >= m_firstTask && send.task < before
           && send.task - m_firstTask < m_heads.size();
}

PathReplay::Time PathReplay::sentValue(std::uint32_t event, std::uint32_t entry, std::uint64_t before,
                                       std::uint32_t *&list)
{
    ActivityLog::Send send;
    bool isLater = false;
    if (!findSource(event, entry, before, send, isLater)) return isLater ? Answer::later : Answer::noSender;
    const Time head = headOf(send.task, list);
    return head < 0 ? head : head + send.offset;
}

PathReplay::Time PathReplay::afterTask(std::uint64_t task, std::uint32_t *&list)
{
    if (task == m_firstTask) return Answer::noSender;
    const Time head = headOf(task - 1, list);
    return head < 0 ? head : head + durationOf(task - 1);
}

PathReplay::Time PathReplay::messageValue(std::uint64_t task, MessageKey key, std::uint32_t entry, std::uint32_t *&list)
{
    if (key.event == blockEvent) return afterTask(task, list);
    if (key.pe == m_pe) return sentValue(key.event, entry, task, list);
    if (!isElsewhere(key.pe)) return Answer::noSender;
    Need &need = m_needs[NeedKey{key.pe, Question{key.event, entry}}];
    list = &need.firstWaiting;
    return need.value;
}

// What had arrived before is known with the task that arrived then, so that no list is walked to its begin.
PathReplay::Time PathReplay::mergeValue(std::uint64_t row, std::uint32_t *&list)
{
    if (merged(row).value != unknown) return merged(row).value;
    const ActivityLog::MergeRow &merge = m_log.mergeAt(row);
    Merged longest;
    longest.value = Answer::noSender;
    longest.row = row;
    if (merge.key.event != blockEvent) longest.value = messageValue(merge.task, merge.key, anyEntry, list);
    if (longest.value == unknown) return unknown;
    if (merge.before >= m_firstMerge && merge.before < row) {
        if (headOf(m_log.mergeAt(merge.before).task, list) == unknown) return unknown;
        const Merged &earlier = merged(merge.before);
        const bool isLater = longest.value == Answer::later || earlier.value == Answer::later;
        if (isLater) longest.value = Answer::later;
        else if (earlier.value > longest.value) longest = earlier;
    }
    merged(row) = longest;
    return longest.value;
}

void PathReplay::evaluate(std::uint32_t id)
{
    const std::uint64_t task = m_firstTask + id;
    Time head = 0;
    // Whether all that leads to it is known; if not, it waits for the first that is not.
    const auto take = [&](Time value, std::uint32_t *list) {
        if (value == unknown) {
            m_nextWaiting[id] = *list;
            *list = id;
            return false;
        }
        if (value == Answer::later) head = Answer::later;
        else if (head >= 0 && value > head) head = value;
        return true;
    };
    std::uint32_t *list = nullptr;
    Time value = messageValue(task, m_log.messageOf(task), m_log.entryOf(task), list);
    if (!take(value, list)) return;
    for (std::uint64_t row = m_log.firstMergeOf(task); isMergeOf(row, task); ++row) {
        value = mergeValue(row, list);
        if (!take(value, list)) return;
    }
    if (m_level == OrderLevel) {
        value = afterTask(task, list);
        if (!take(value, list)) return;
    }
    note(task, head);
}

void PathReplay::note(std::uint64_t task, Time head)
{
    const std::size_t at = static_cast<std::size_t>(task - m_firstTask);
    m_heads[at] = head;
    ++m_known;
    for (std::uint32_t id = m_waitingFor[at]; id != none; id = m_nextWaiting[id]) m_ready.push_back(id);
    m_waitingFor[at] = none;
    if (head < 0) return;
    const Time end = head + durationOf(task);
    if (end > m_farthest || (end == m_farthest && task < m_farthestTask)) {
        m_farthest = end;
        m_farthestTask = task;
    }
}

void PathReplay::answer(const Asked &asked, std::uint32_t id)
{
    std::uint32_t *list = nullptr;
    const Time value = sentValue(asked.question.event, asked.question.entry, m_firstTask + m_heads.size(), list);
    if (value == unknown) {
        m_nextWaiting[id] = *list;
        *list = id;
        return;
    }
    m_answers[asked.from].push_back(Answer{asked.question.event, asked.question.entry, value});
}

// Whether this message is what decided when a task could begin, whose value is `head`; then where the way goes on.
bool PathReplay::goOn(MessageKey key, std::uint32_t entry, Time head, std::uint64_t &task, Time &upTo, Hop &hop)
{
    std::uint32_t *list = nullptr;
    if (messageValue(task, key, entry, list) != head) return false;
    const Time begin = m_log.beginOf(task);
    if (key.event == blockEvent) {
        --task;
        upTo = durationOf(task);
        return true;
    }
    hop = Hop();
    if (key.pe != m_pe) {
        hop.pe = key.pe;
        hop.event = key.event;
        hop.entry = entry;
        hop.begin = begin;
        return true;
    }
    ActivityLog::Send send;
    bool isLater = false;
    if (!findSource(key.event, entry, task, send, isLater)) return false;
    const Time waited = begin - m_log.beginOf(send.task) - send.offset;
    const std::uint16_t started = m_log.entryOf(task);
    if (waited > 0 && started < m_sums.size()) m_sums[started].waited += waited;
    task = send.task;
    upTo = send.offset;
    return true;
}

Hop PathReplay::walkFrom(std::uint64_t task, Time upTo, std::uint64_t &number)
{
    while (true) {
        const std::uint64_t at = task;
        const std::uint16_t entry = m_log.entryOf(at);
        const Time head = m_heads[static_cast<std::size_t>(at - m_firstTask)], weight = upTo;
        PathLink link = StartLink;
        Hop hop;
        if (head > 0) {
            if (goOn(m_log.messageOf(at), entry, head, task, upTo, hop)) link = MessageLink;
            for (std::uint64_t row = m_log.firstMergeOf(at); link == StartLink && isMergeOf(row, at); ++row) {
                if (merged(row).value != head) continue;
                if (goOn(m_log.mergeAt(merged(row).row).key, anyEntry, head, task, upTo, hop)) link = MergeLink;
            }
            if (link == StartLink && at > m_firstTask) {
                link = OrderLink;
                task = at - 1;
                upTo = durationOf(task);
            }
        }
        m_steps.push_back(ReplayStep{number++, at, m_log.beginOf(at), weight, entry, link});
        m_log.piecesOf(at, weight, [this](std::uint16_t inner, Time time) {
            if (inner < m_sums.size()) m_sums[inner].onPath += time;
        });
        if (entry < m_sums.size()) ++m_sums[entry].steps;
        if (link == StartLink || hop.pe >= 0) return hop;
    }
}

Hop PathReplay::walk(std::uint64_t &number) { return walkFrom(m_farthestTask, durationOf(m_farthestTask), number); }

Hop PathReplay::walk(const Hop &from, std::uint64_t &number)
{
    ActivityLog::Send send;
    bool isLater = false;
    if (!findSource(from.event, from.entry, m_firstTask + m_heads.size(), send, isLater)) return Hop();
    const Time waited = from.begin - m_log.beginOf(send.task) - send.offset;
    if (waited > 0 && from.entry < m_sums.size()) m_sums[from.entry].waited += waited;
    return walkFrom(send.task, send.offset, number);
}

void PathReplay::sumUpTasks()
{
    for (std::size_t i = 0; i < m_heads.size(); ++i) {
        const std::uint64_t task = m_firstTask + i;
        m_log.piecesOf(task, durationOf(task), [this](std::uint16_t entry, Time time) {
            if (entry < m_sums.size()) m_sums[entry].busy += time;
        });
        if (m_log.entryOf(task) < m_sums.size()) ++m_sums[m_log.entryOf(task)].tasks;
    }
}

PathReplay::Time PathReplay::firstBegin() const { return m_heads.empty() ? INT64_MAX : m_log.beginOf(m_firstTask); }

}  // namespace longpole_module
