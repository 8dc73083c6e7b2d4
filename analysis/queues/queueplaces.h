// SPDX-License-Identifier: GPL-3.0-or-later
// Where in a processor's queue a message stands that arrives at a given time: the scheduler looks at the network only
// between its steps.
#pragma once

#include "analysis/queues/processorrecord.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <vector>

namespace longpole {

// A place in the order of a queue: when it was entered, and of messages that the scheduler found at one look, when they
// arrived; those from the same processor come first, in the order in which they were made.
struct QueuePlace {
    TimeNs entered = minTime;
    TimeNs arrived = minTime;
    std::uint32_t number = 0;
    friend auto operator<=>(const QueuePlace&, const QueuePlace&) = default;
};

// Of one record, which must outlive it. A step is a task and what went on after it with the same message.
class QueuePlaces {
public:
    explicit QueuePlaces(const ProcessorRecord& record);

    // How many tasks of the first k had begun before a time. O(log) of the distance.
    std::size_t begunBefore(TimeNs time, std::size_t k) const;

    // Of the k-th task's message.
    QueuePlace placeOf(std::size_t k, TimeNs arrived) const
    {
        if (m_record.is(k, ProcessorRecord::Held)) return {arrived, minTime, 0};
        if (m_record.is(k, ProcessorRecord::Local)) return {arrived, minTime, m_record.number[k]};
        const std::size_t begun = begunBefore(arrived, k);
        return {begun == 0 ? arrived : std::max(arrived, m_stepEnd[begun - 1]), arrived, 0};
    }

    // The latest, where it arrived at that time: expedited messages run while the scheduler still looks, and what came
    // after them stays in the network.
    QueuePlace lastPlaceOf(std::size_t k, TimeNs arrived) const
    {
        QueuePlace place = placeOf(k, arrived);
        if (m_record.is(k, ProcessorRecord::Local | ProcessorRecord::Held)) return place;
        if (const std::size_t begun = begunBefore(arrived, k); begun > 0)
            place.entered = std::max(place.entered, m_settled[begun - 1]);
        return place;
    }

    std::size_t stepOf(std::size_t k) const { return m_stepOf[k]; }  // its first task
    TimeNs stepEnd(std::size_t k) const { return m_stepEnd[k]; }     // the end of its last

private:
    const ProcessorRecord& m_record;
    std::vector<std::uint32_t> m_stepOf;
    std::vector<TimeNs> m_stepEnd;
    std::vector<TimeNs> m_settled;  // the end of the last expedited task after that
};

}  // namespace longpole
