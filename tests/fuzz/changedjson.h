// SPDX-License-Identifier: GPL-3.0-or-later
// JSON whose values are others than they should be, at any place: what a reader of a stranger's file has to bear.
#pragma once

#include "analysis/base/json.h"
#include "fuzz/choices.h"

#include <iterator>

namespace longpole {

// A value of any kind; a text that may be markup, a formula, a control character, a path, or long.
inline JsonValue anyJson(Choices& choices)
{
    static constexpr const char* texts[] = {"",
                                            "=1+1",
                                            "<img src=x>",
                                            "\x1b[2J",
                                            "../../etc/passwd",
                                            "/dev/zero",
                                            "solve",
                                            "a\nb",
                                            "panel.sql",
                                            "work",
                                            "critical",
                                            "-9223372036854775808",
                                            "9223372036854775807",
                                            "-1",
                                            "5000000",
                                            "\xc3\xa4\xf0\x9f\x98\x80",
                                            "none"};
    switch (choices.below(8)) {
    case 0: return nullptr;
    case 1: return choices.below(2) == 0;
    case 2: return 1e300;
    case 3: return JsonValue::object();
    case 4: return std::string(choices.below(3000), 'x');
    case 5: return std::string(texts[choices.below(std::size(texts))]);
    case 6: return static_cast<std::uint64_t>(choices.number());
    default: return choices.number();
    }
}

// The value with one to six changes.
inline JsonValue changedJson(JsonValue json, Choices& choices)
{
    for (std::uint32_t i = 1 + choices.below(6); i > 0; --i) {
        JsonValue* at = &json;
        while (at->is_structured() && !at->empty() && choices.below(5) != 0)
            at = &*std::next(at->begin(),
                             static_cast<std::ptrdiff_t>(choices.below(static_cast<std::uint32_t>(at->size()))));
        switch (choices.below(6)) {
        case 0: *at = JsonValue::array({*at}); break;
        case 1:
            if (at->dump().size() < 300) {  // or copies of copies would fill the memory
                JsonValue many = JsonValue::array();
                for (std::uint32_t k = choices.below(300); k > 0; --k) many.push_back(*at);
                *at = std::move(many);
            }
            break;
        case 2:
            for (std::uint32_t k = choices.below(80); k > 0; --k) *at = JsonValue::array({std::move(*at)});
            break;
        default: *at = anyJson(choices);
        }
    }
    return json;
}

// Its text; now and then with a byte that is another.
inline QByteArray changedText(const JsonValue& json, Choices& choices)
{
    QByteArray text = dump(json, -1);
    for (std::uint32_t i = choices.below(8) == 0 ? 1 + choices.below(3) : 0; i > 0; --i)
        text[static_cast<qsizetype>(choices.below(static_cast<std::uint32_t>(text.size())))] = static_cast<char>(
            choices.below(256));
    return text.left(4 << 20);
}

}  // namespace longpole
