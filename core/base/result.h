// SPDX-License-Identifier: GPL-3.0-or-later
// What a function that can fail returns: a value, or an error that says what, where and what to do.
#pragma once

#include <QString>

#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

namespace longpole {

enum class ErrorKind : std::uint8_t { Failed, Cancelled };

struct Error {
    QString what;   // one sentence: what went wrong
    QString where;  // file, line, table or option
    QString hint;   // what the user can do; may be empty
    ErrorKind kind = ErrorKind::Failed;

    friend bool operator==(const Error&, const Error&) = default;
};

// "what (where). hint" on one line, for a terminal or a status bar.
QString toText(const Error& error);

// The error of work that was told to stop: not worth telling anybody. `where` may name the file.
Error cancelledError(const QString& where = {});
inline bool wasCancelled(const Error& error) { return error.kind == ErrorKind::Cancelled; }

struct Unit {};  // the value of a Result that carries none

template <typename T = Unit>
class [[nodiscard]] Result {
public:
    Result(T value) : m_content(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_content(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_content.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const&
    {
        assert(ok());
        return *std::get_if<0>(&m_content);
    }
    T& value() &
    {
        assert(ok());
        return *std::get_if<0>(&m_content);
    }
    T&& value() &&
    {
        assert(ok());
        return std::move(*std::get_if<0>(&m_content));
    }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const Error& error() const
    {
        assert(!ok());
        return *std::get_if<1>(&m_content);
    }

private:
    std::variant<T, Error> m_content;
};

}  // namespace longpole
