// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the view of a second run like that of the first: filters, colours, arrows and, while they are locked, the range
// of time, translated by a TimeMapping. Both view states outlive it.
#pragma once

#include "views/state/timemapping.h"
#include "views/state/viewstate.h"

#include <QObject>

namespace longpole {

class LockedViews : public QObject {
    Q_OBJECT
public:
    // Begins locked, with the mapping by time.
    LockedViews(ViewState& a, ViewState& b, QObject* parent = nullptr);
    ~LockedViews() override;

    bool isLocked() const { return m_locked; }
    // Locking keeps the first one's range. While locked, both can show as much time as the longer run has.
    void setLocked(bool locked);
    void setMapping(const TimeMapping& mapping);

private:
    void follow();
    void followA();
    void followB();
    void giveRoom();

    ViewState& m_a;
    ViewState& m_b;
    TimeMapping m_mapping;
    bool m_locked = true;
    bool m_following = false;
    bool m_isStep = false;  // the last change of b's range was a step of its history
};

}  // namespace longpole
