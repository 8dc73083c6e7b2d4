// SPDX-License-Identifier: GPL-3.0-or-later
// Writing .sts files, the other direction of projectionssts.h: one more user event, or a whole symbol table.
#pragma once

#include "importers/projections/sts.h"

#include <QByteArray>
#include <QString>

#include <cstdint>

namespace longpole {

struct SymbolsWithEvent {
    QByteArray text;
    std::uint32_t id = 0;  // of the event
    bool isKnown = false;  // the .sts had it already, under this name
};

// A .sts that has a user event of this name: the one of number `id` or, where the program uses that for something else,
// of the next number that is free. Everything else stays as it is, but TOTAL_EVENTS.
SymbolsWithEvent withUserEvent(const QByteArray& text, std::uint32_t id, const QString& name);

// The .sts of these symbols, laid out as its version is.
QByteArray symbolsText(const ProjectionsSymbols& symbols);

}  // namespace longpole
