// SPDX-License-Identifier: GPL-3.0-or-later
// Where in the source what is selected was made: the functions of its call path, the innermost first; and MPI calls by
// the place that makes them.
#pragma once

#include "analysis/mpi/calls.h"
#include "analysis/results/results.h"
#include "views/state/choices.h"

#include <QString>

#include <vector>

namespace longpole {

// A function, and what is known of its source. All of it is the trace's: text, and nothing that is opened unasked.
struct CodeFrame {
    QString function;
    QString file;    // as the compiler had it; without debug information "app+0x12a4", or empty
    QString module;  // program or library
    int line = 0;    // 0: not known
    int last = 0;    // code reaches from `line` to here, either may be the larger one; 0: `line` alone
    friend bool operator==(const CodeFrame&, const CodeFrame&) = default;
};

// "halo.c:112", "halo.c:112 – 130"; what is known of it.
QString placeOf(const CodeFrame& frame);

// Of a place: it, and the places that called its function. Of a function: its lines that lead to MPI calls, then the
// places that called it. Empty if the path is not known. O(call paths).
std::vector<CodeFrame> framesOf(const TraceStore& store, std::uint32_t path);
// Of the code between two calls: the function from which both were called, with the lines of both in it.
std::vector<CodeFrame> framesBetween(const TraceStore& store, std::uint32_t before, std::uint32_t after);

// Of a task the code between two calls, of a message that of its sender; empty: nobody knows.
struct CodeQuestion {
    using Answer = std::vector<CodeFrame>;
    static constexpr const char* id = "source of a selection";

    Selection selection{};

    // O(calls of the rank). Errors: damaged chunks, cancelled.
    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& frames);
    friend bool operator==(const CodeQuestion&, const CodeQuestion&) = default;
};

struct CallSitesQuestion {
    using Answer = std::vector<MpiSiteSums>;
    static constexpr const char* id = "MPI calls by place";

    Result<std::shared_ptr<const Answer>> compute(Results& results, const Progress& progress) const;
    static std::int64_t bytes(const Answer& sites);
    friend bool operator==(const CallSitesQuestion&, const CallSitesQuestion&) = default;
};

}  // namespace longpole
