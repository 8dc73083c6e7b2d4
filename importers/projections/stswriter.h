// SPDX-License-Identifier: GPL-3.0-or-later
// Writes .sts files, which importers/projections/sts.h reads: adds a user event, or writes a whole symbol table.
#pragma once

#include "importers/projections/sts.h"

#include <QByteArray>
#include <QString>

#include <cstdint>

namespace longpole {

struct SymbolsWithEvent {
    QByteArray text;
    std::uint32_t id = 0;  // of the event
    bool isKnown = false;  // the .sts had an event of this name already
};

// The .sts with a user event of this name, which has the number `id` or, if the program uses that for something else,
// the next free one. Nothing else changes but TOTAL_EVENTS.
SymbolsWithEvent withUserEvent(const QByteArray& text, std::uint32_t id, const QString& name);

// The lines of an .sts that begin with its keywords, and blank ones.
QByteArray symbolLines(const QByteArray& text);

// The text of an .sts with these symbols, in the layout of their version.
QByteArray symbolsText(const ProjectionsSymbols& symbols);

}  // namespace longpole
