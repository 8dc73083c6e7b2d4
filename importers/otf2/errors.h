// SPDX-License-Identifier: GPL-3.0-or-later
// Catches the OTF2 library's error messages, which it would otherwise print on standard error.
#pragma once

#include "core/base/result.h"

#include <QString>

namespace longpole {

// While it lives, messages that the library gives on this thread are kept here instead of being printed. One at a time
// on each thread; threads without one drop the messages.
class Otf2Messages {
public:
    Otf2Messages();
    ~Otf2Messages();
    Otf2Messages(const Otf2Messages&) = delete;
    Otf2Messages& operator=(const Otf2Messages&) = delete;

    // The first message since the last take(): it says what went wrong, later ones are from functions that passed it
    // on.
    QString take();
    // "<what> The library says: <message>."
    Error error(const QString& what, const QString& where, const QString& hint = {});
    void keep(const QString& message);

private:
    QString m_first;
    Otf2Messages* m_outer = nullptr;
};

}  // namespace longpole
