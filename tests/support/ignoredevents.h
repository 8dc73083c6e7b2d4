// SPDX-License-Identifier: GPL-3.0-or-later
// Takes a location's events and does nothing with them: what benches count in derives from it.
#pragma once

#include "importers/mpi/source.h"

namespace longpole {

class IgnoredEvents : public MpiEvents {
public:
    void enter(TimeNs, std::uint32_t) override {}
    void leave(TimeNs, std::uint32_t) override {}
    void beginCall(TimeNs, std::uint32_t) override {}
    void endCall(TimeNs) override {}
    void send(std::int64_t, std::uint32_t, std::uint32_t, std::int32_t, std::int64_t, bool) override {}
    void postReceive(std::int64_t) override {}
    void sendCompleted(std::int64_t) override {}
    void received(std::int64_t, std::uint32_t, std::uint32_t, std::int32_t, std::int64_t) override {}
    void receivedNothing(std::int64_t) override {}
    void cancelled(std::int64_t) override {}
    void collective(std::int64_t, std::uint32_t, std::int32_t, std::int64_t) override {}
    void collectiveCompleted(std::int64_t) override {}
    void counter(TimeNs, std::uint32_t, double) override {}
    void mark(TimeNs, std::uint32_t, const QString&) override {}
    void record(const char*) override {}
};

}  // namespace longpole
