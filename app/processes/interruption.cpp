// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/processes/interruption.h"

#include <array>
#include <atomic>
#include <csignal>

namespace longpole {

namespace {

// Globals, as nothing can be passed to a signal handler, and lock-free, as it may interrupt anything.
std::atomic<const Progress*> ownWork{nullptr};
std::atomic<int> endingSignal{0};
static_assert(std::atomic<const Progress*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

constexpr std::array endingSignals{SIGINT, SIGTERM, SIGHUP};

extern "C" void cancelOwnWork(int signal)
{
    endingSignal = signal;
    if (const Progress* progress = ownWork) progress->cancel();
}

}  // namespace

Interruption::Interruption()
{
    ownWork = &m_progress;
    struct sigaction cancel {};
    cancel.sa_handler = cancelOwnWork;
    cancel.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    for (const int signal : endingSignals) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &cancel, nullptr);
    }
}

Interruption::~Interruption() { ownWork = nullptr; }

int Interruption::exitCode()
{
    const int signal = endingSignal;
    return 128 + (signal != 0 ? signal : SIGTERM);
}

const Progress* interruptedWork() { return ownWork; }

}  // namespace longpole
