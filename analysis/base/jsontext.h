// SPDX-License-Identifier: GPL-3.0-or-later
// JSON as text, written value by value: all values of a long list at once take ten times what their text does.
#pragma once

#include "analysis/base/json.h"
#include "core/base/progress.h"

#include <QByteArray>

#include <cstddef>
#include <string>
#include <vector>

namespace longpole {

// The text is the same as dump()'s of the same values. Each call comes where its value has a place: at the top, in an
// open list, behind a key of an open object.
class JsonText {
public:
    explicit JsonText(const Progress& progress) : m_progress(progress) {}

    void value(const JsonValue& value);
    void key(const std::string& name);
    void member(const std::string& name, const JsonValue& value);
    void beginObject() { begin('{'); }
    void beginList() { begin('['); }
    void endObject() { end('}'); }
    void endList() { end(']'); }
    // To be looked at by who writes many values: the rest may be left out, as nobody will read it.
    bool isCancelled() const { return m_progress.isCancelled(); }

    // The text so far, with a line break at its end.
    QByteArray take();

private:
    void begin(char bracket);
    void end(char bracket);
    void place();
    void breakLine();

    const Progress& m_progress;
    QByteArray m_text;
    std::vector<bool> m_open;  // of each open list and object whether it has values
    bool m_isBehindKey = false;
};

}  // namespace longpole
