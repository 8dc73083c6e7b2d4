// SPDX-License-Identifier: GPL-3.0-or-later
// What SQLite calls of ours: no exception may fly through SQLite, which is C, and out of whoever has loaded the module.
#pragma once

#include <exception>

#ifdef LONGPOLE_SQLITE_MODULE
#include <sqlite3ext.h>
#else
#include <sqlite3.h>
#endif

namespace longpole {

template <auto function>
struct WithinMemory;

template <typename... Arguments, int (*function)(Arguments...)>
struct WithinMemory<function> {
    static int call(Arguments... arguments)
    {
        try {
            return function(arguments...);
        } catch (const std::exception&) {  // of memory: no other is thrown
            return SQLITE_NOMEM;
        }
    }
};

template <auto function>
constexpr auto withinMemory = &WithinMemory<function>::call;

}  // namespace longpole
