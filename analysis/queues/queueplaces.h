// SPDX-License-Identifier: GPL-3.0-or-later
// The place in a processor's queue that a message gets by arriving at a given time. The scheduler looks at the network
// only between its steps, so a message enters the queue when a step ends.
#pragma once

#include "analysis/queues/processorrecord.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <vector>

namespace longpole {

// A place in the order of a queue. Messages are ordered by when they entered it; those that the scheduler took from the
// network at one look, by when they arrived. Messages of the processor itself come before these, by their numbers.
struct QueuePlace {
    TimeNs entered = minTime;
    TimeNs arrived = minTime;
    std::uint32_t number = 0;
    friend auto operator<=>(const QueuePlace&, const QueuePlace&) = default;
};

// Places in the queue of one processor, whose record must outlive this. A step of its scheduler is a task and the tasks
// that ran on after it with the same message.
class QueuePlaces {
public:
    explicit QueuePlaces(const ProcessorRecord& record);

    // How many of the first k tasks had begun before a time. O(log d) if that is d tasks before the k-th.
    std::size_t begunBefore(TimeNs time, std::size_t k) const;

    // The place of the k-th task's message, if it arrived at that time.
    QueuePlace placeOf(std::size_t k, TimeNs arrived) const
    {
        if (m_record.is(k, ProcessorRecord::Held)) return {arrived, minTime, 0};
        if (m_record.is(k, ProcessorRecord::Local)) return {arrived, minTime, m_record.number[k]};
        const std::size_t begun = begunBefore(arrived, k);
        return {begun == 0 ? arrived : std::max(arrived, m_stepEnd[begun - 1]), arrived, 0};
    }

    // The latest place that it can have: expedited messages run while the scheduler still looks at the network, and
    // what arrived behind them may have stayed there until they had run.
    QueuePlace lastPlaceOf(std::size_t k, TimeNs arrived) const
    {
        QueuePlace place = placeOf(k, arrived);
        if (m_record.is(k, ProcessorRecord::Local | ProcessorRecord::Held)) return place;
        if (const std::size_t begun = begunBefore(arrived, k); begun > 0)
            place.entered = std::max(place.entered, m_settled[begun - 1]);
        return place;
    }

    std::size_t stepOf(std::size_t k) const { return m_stepOf[k]; }  // the first task of the k-th task's step
    TimeNs stepEnd(std::size_t k) const { return m_stepEnd[k]; }     // the end of the last task of that step

private:
    const ProcessorRecord& m_record;
    std::vector<std::uint32_t> m_stepOf;
    std::vector<TimeNs> m_stepEnd;
    std::vector<TimeNs> m_settled;  // by task: the end of the last expedited task that ran right after its step
};

}  // namespace longpole
