// SPDX-License-Identifier: GPL-3.0-or-later
// What the OTF2 library says when something fails: it would print it on standard error.
#pragma once

#include "core/base/result.h"

#include <QString>

namespace longpole {

// While it lives, messages of the library that arise on this thread are kept here instead of being printed. One at a
// time and thread; on threads without one they are dropped.
class Otf2Messages {
public:
    Otf2Messages();
    ~Otf2Messages();
    Otf2Messages(const Otf2Messages&) = delete;
    Otf2Messages& operator=(const Otf2Messages&) = delete;

    // The first since take(): what happened where it happened; later ones only say who noticed.
    QString take();
    // "<what> The library says: <message>."
    Error error(const QString& what, const QString& where, const QString& hint = {});
    void keep(const QString& message);

private:
    QString m_first;
    Otf2Messages* m_outer = nullptr;
};

}  // namespace longpole
