// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/base/jsontext.h"

#include <algorithm>
#include <utility>

namespace longpole {

namespace {

constexpr qsizetype indent = 2;

}  // namespace

void JsonText::breakLine() { m_text.append('\n').append(std::ssize(m_open) * indent, ' '); }

// Where the next value or key begins.
void JsonText::place()
{
    if (std::exchange(m_isBehindKey, false) || m_open.empty()) return;
    if (m_open.back()) m_text.append(',');
    m_open.back() = true;
    breakLine();
}

void JsonText::value(const JsonValue& value)
{
    place();
    const std::string text = value.dump(indent, ' ', false, JsonValue::error_handler_t::replace);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        if (begin > 0) breakLine();
        m_text.append(text.data() + begin, static_cast<qsizetype>(end - begin));
        begin = end + 1;
    }
}

void JsonText::key(const std::string& name)
{
    value(name);
    m_text.append(": ");
    m_isBehindKey = true;
}

void JsonText::member(const std::string& name, const JsonValue& value)
{
    key(name);
    this->value(value);
}

void JsonText::begin(char bracket)
{
    place();
    m_text.append(bracket);
    m_open.push_back(false);
}

void JsonText::end(char bracket)
{
    const bool hasValues = m_open.back();
    m_open.pop_back();
    if (hasValues) breakLine();
    m_text.append(bracket);
}

QByteArray JsonText::take()
{
    m_text.append('\n');
    return std::exchange(m_text, {});
}

}  // namespace longpole
