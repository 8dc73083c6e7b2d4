// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/lockedviews.h"

#include <utility>

namespace longpole {

LockedViews::LockedViews(ViewState& a, ViewState& b, QObject* parent)
    : QObject(parent), m_a(a), m_b(b), m_mapping(TimeMapping::byTime(a.fullRange(), b.fullRange()))
{
    const auto share = [this](auto signal, auto take) {
        connect(&m_a, signal, this, take);
        take();
    };
    share(&ViewState::filterChanged, [this] { m_b.setFilter(m_a.filterText()); });
    share(&ViewState::taskFilterChanged, [this] { m_b.setTaskFilter(m_a.taskFilter()); });
    // Slack is known of the first run only: the second shows entry methods then.
    share(&ViewState::colourChanged, [this] {
        m_b.setColour(m_a.colour() == ColourMode::Slack ? ColourMode::EntryMethod : m_a.colour(), m_a.paletteKind());
    });
    share(&ViewState::arrowsChanged, [this] { m_b.setArrows(m_a.arrows()); });
    connect(&m_a, &ViewState::rangeChanged, this, &LockedViews::followA);
    connect(&m_b, &ViewState::historyChanged, this, [this] { m_isStep = true; });
    connect(&m_b, &ViewState::rangeChanged, this, &LockedViews::followB);
    follow();
}

LockedViews::~LockedViews()
{
    m_locked = false;
    giveRoom();
}

void LockedViews::setLocked(bool locked)
{
    m_locked = locked;
    follow();
}

void LockedViews::setMapping(const TimeMapping& mapping)
{
    m_mapping = mapping;
    follow();
}

void LockedViews::follow()
{
    giveRoom();
    followA();
}

void LockedViews::giveRoom()
{
    const bool before = std::exchange(m_following, true);
    m_a.setRoom(m_locked ? m_mapping.toA(m_b.fullRange()) : TimeRange{});
    m_b.setRoom(m_locked ? m_mapping.toB(m_a.limits()) : TimeRange{});
    m_following = before;
}

void LockedViews::followA()
{
    if (!m_locked || m_following) return;
    m_following = true;
    m_b.setRange(m_mapping.toB(m_a.range()), false);
    m_following = false;
}

// What the hand does on the second run becomes a step of the first one's history: going back follows that.
void LockedViews::followB()
{
    const bool isStep = std::exchange(m_isStep, false);
    if (!m_locked || m_following) return;
    m_following = true;
    m_a.setRange(m_mapping.toA(m_b.range()), isStep);
    m_following = false;
}

}  // namespace longpole
