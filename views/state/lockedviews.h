// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the view of a second run beside that of the first: the same range of time by a mapping, filter, colours and
// arrows. Both view states outlive it.
#pragma once

#include "views/state/timemapping.h"
#include "views/state/viewstate.h"

#include <QObject>

namespace longpole {

class LockedViews : public QObject {
    Q_OBJECT
public:
    // Locked, by time.
    LockedViews(ViewState& a, ViewState& b, QObject* parent = nullptr);
    ~LockedViews() override;

    bool isLocked() const { return m_locked; }
    // While locked, both can show what either run lasts. The first one's range stays.
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
