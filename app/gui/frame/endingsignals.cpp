// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/frame/endingsignals.h"

#include <QCoreApplication>
#include <QSocketNotifier>
#include <QWidget>

#include <array>
#include <atomic>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace longpole {

namespace {

// Globals, as nothing can be passed to a signal handler, and lock-free, as it may interrupt anything.
std::atomic<int> tellsThatItCame{-1};
std::atomic<int> signalThatCame{0};
static_assert(std::atomic<int>::is_always_lock_free);

constexpr std::array closingSignals{SIGINT, SIGTERM, SIGHUP};

extern "C" void noteClosingSignal(int signal)
{
    signalThatCame = signal;
    const char byte = 0;
    [[maybe_unused]] const auto written = ::write(tellsThatItCame, &byte, 1);
}

}  // namespace

EndingSignals::EndingSignals()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
    m_came = ends[0];
    tellsThatItCame = ends[1];
    struct sigaction note {};
    note.sa_handler = noteClosingSignal;
    note.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    for (const int signal : closingSignals) {
        struct sigaction before {};
        sigaction(signal, nullptr, &before);
        if (before.sa_handler != SIG_IGN) sigaction(signal, &note, nullptr);
    }
}

void EndingSignals::close(QWidget& window) const
{
    if (m_came < 0) return;
    auto* const notifier = new QSocketNotifier(m_came, QSocketNotifier::Read, &window);
    QObject::connect(notifier, &QSocketNotifier::activated, &window, [notifier, &window] {
        notifier->setEnabled(false);
        window.close();
        QCoreApplication::exit(128 + signalThatCame);
    });
}

}  // namespace longpole
