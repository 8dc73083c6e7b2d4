// SPDX-License-Identifier: GPL-3.0-or-later
// The options that several commands have.
#pragma once

#include "app/commandline/commandline.h"

namespace longpole {

inline constexpr CommandOption symbolsOption{"symbols", "OTHER.sts",
                                             "name the entries of a killed run after another run's .sts"};
inline constexpr CommandOption jsonOption{"json", nullptr, "write JSON"};
inline constexpr CommandOption csvOption{"csv", nullptr, "write comma-separated values"};
inline constexpr CommandOption fileOption{"o", "FILE", "write to FILE, by its ending: .txt (default), .json or .csv",
                                          nullptr, "txt json csv"};

// For commands about paths.
inline constexpr CommandOption edgesOption{"edges", "EDGES",
                                           "what orders tasks: messages; recorded and inferred merges; the order of "
                                           "each PE too (default); data: as order, but "
                                           "no MPI rank waits for the receiver of what it sent",
                                           "messages merges data order"};
// For commands about iterations.
inline constexpr CommandOption iterationEdgesOption{
    "edges", "EDGES",
    "what orders the path's tasks: messages; recorded and inferred merges (default of mode work); the order of "
    "each PE too; data: as order, but no MPI rank waits for the receiver of what it sent",
    "messages merges data order"};
// For analyses of all paths, which a sweep does not have.
inline constexpr CommandOption throughModeOption{
    "mode", "MODE", "work: chains of computation (default); elapsed: the run with its latencies and gaps as they were",
    "work elapsed"};
inline constexpr CommandOption fromOption{"from", "T",
                                          "only what happens after this time, e.g. 10ms (default: the start)"};
inline constexpr CommandOption untilOption{"until", "T", "only what happens before this time (default: the end)"};

// For commands that answer with a table or a chart.
inline constexpr CommandOption chartFileOption{
    "o", "FILE", "write to FILE, by its ending: .txt (default), .json, .csv, .png or .svg", nullptr,
    "txt json csv png svg"};
inline constexpr CommandOption themeOption{"theme", "THEME", "of a picture: light (default) or dark", "light dark"};
inline constexpr CommandOption sizeOption{"size", "WxH", "of a picture: pixels, e.g. 1920x1080 (default: as it needs)"};
inline constexpr CommandOption rangeOption{"range", "A..B",
                                           "this part of the run, e.g. 10ms..1.5s (default: all of it)"};
inline constexpr CommandOption pesOption{"pes", "PES", "these PEs or ranks, e.g. 0,4-7 (default: all)"};

// For commands that judge a run.
inline constexpr CommandOption withoutOption{
    "without", "WHAT", "leave out the parts of the run with interrupted tasks, its start-up, or both",
    "interrupted startup interrupted,startup startup,interrupted"};
inline constexpr CommandOption withoutPathOption{
    "without", "WHAT", "leave out what interruptions took of tasks, the run's start-up, or both",
    "interrupted startup interrupted,startup startup,interrupted"};
inline constexpr CommandOption withoutWaitsOption{
    "without", "WHAT", "leave out waits beside interrupted tasks, the run's start-up, or both",
    "interrupted startup interrupted,startup startup,interrupted"};
inline constexpr CommandOption thresholdsOption{
    "thresholds", "FILE", "judge with the thresholds of this file (tree --default-thresholds prints one)"};

}  // namespace longpole
