// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that every file has: run, tracks, names, totals, and the directory of the event rows.
#pragma once

#include "core/file/tablespec.h"

namespace longpole {

constexpr TableSpec tablesOfAll[] = {
    {"meta", R"(CREATE TABLE meta( -- the run and its source; times in ns of the trace's own clock
  key TEXT NOT NULL,   -- stamp: XXH3-128 over the rows of all tables but chunk_data
  value
))",
     true},
    {"track", R"(CREATE TABLE track( -- rows of the timeline, a tree
  id INTEGER PRIMARY KEY,
  parent INTEGER REFERENCES track(id),
  kind TEXT NOT NULL,  -- root, node, process, pe, comm_thread, rank, thread, stream, user_events
  name TEXT NOT NULL,
  pe INTEGER REFERENCES processor(pe)  -- the processor it shows or belongs to
))",
     true},
    {"processor", R"(CREATE TABLE processor( -- PEs or ranks with totals clipped to the run; comm threads too
  pe INTEGER PRIMARY KEY,
  node INTEGER NOT NULL,
  process INTEGER NOT NULL,
  kind TEXT NOT NULL,   -- as in track
  name TEXT NOT NULL,
  track INTEGER NOT NULL REFERENCES track(id),
  has_log INTEGER NOT NULL,
  first_record_ns INTEGER NOT NULL,
  last_record_ns INTEGER NOT NULL,
  records INTEGER NOT NULL,  -- lines of its log without the header
  tasks INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  busy_ns INTEGER NOT NULL,
  idle_ns INTEGER NOT NULL,
  pack_ns INTEGER NOT NULL,  -- this and the next two lie inside overhead = duration - busy - idle
  flush_ns INTEGER NOT NULL,
  untraced_ns INTEGER NOT NULL,
  started_ns INTEGER,  -- end of a rank's MPI_Init: what is before is start-up
  stopping_ns INTEGER  -- begin of its MPI_Finalize: what is after is shut-down
))",
     true},
    {"chare", R"(CREATE TABLE chare( -- classes of parallel objects
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  dimensions INTEGER NOT NULL  -- of a chare array, -1: none
))",
     true},
    {"entry", R"(CREATE TABLE entry( -- entry methods, functions
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  chare TEXT NOT NULL,  -- its name
  kind TEXT NOT NULL,   -- user, system
  chare_id INTEGER REFERENCES chare(id)
))",
     true},
    {"region", R"(CREATE TABLE region( -- named things that are no entry methods
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,   -- user_event, stat, memory, note, phase, user_supplied, counter, function, mpi_call,
                        -- communicator
  number INTEGER NOT NULL,  -- the id that the program gave it; of a communicator: its size
  name TEXT NOT NULL
))",
     true},
    {"call_path",
     R"(CREATE TABLE call_path( -- functions and the places in them that call, a tree: the stacks of MPI calls
  id INTEGER PRIMARY KEY,    -- from 1
  parent INTEGER REFERENCES call_path(id),  -- of a function: the place that calls it; of a place: its function
  kind TEXT NOT NULL,        -- function, place
  function TEXT NOT NULL,    -- of a place: in which it is
  file TEXT NOT NULL,        -- of a place; without debug information as app+0x12a4
  line INTEGER NOT NULL,     -- of a place; 0: not known
  module TEXT NOT NULL       -- base name of the program or library
))",
     true},
    {"text", R"(CREATE TABLE text( -- texts of marks
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL
))",
     true},
    {"profile", R"(CREATE TABLE profile( -- totals of an entry method on a processor
  pe INTEGER NOT NULL REFERENCES processor(pe),
  entry INTEGER NOT NULL REFERENCES entry(id),
  count INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,       -- with nested executions
  exclusive_ns INTEGER NOT NULL,  -- goes to the innermost execution
  messages INTEGER NOT NULL,      -- created by its executions
  bytes INTEGER NOT NULL
))",
     true},
    {"issue", R"(CREATE TABLE issue( -- what the import had to skip or repair
  kind TEXT NOT NULL,
  count INTEGER NOT NULL,
  place TEXT NOT NULL  -- where it was seen first
))",
     true},
    {"record_count", R"(CREATE TABLE record_count( -- records of the source by type
  kind TEXT NOT NULL,
  count INTEGER NOT NULL
))",
     true},
    {"chunk", R"(CREATE TABLE chunk( -- directory of the event rows; read them as tables task, message ... through the
  -- module longpole_sqlite
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  track INTEGER NOT NULL,     -- references track; 4294967295: the whole run; of tiles, from 2147483648 on: blocks of
                              -- processors
  level INTEGER NOT NULL,     -- of tiles and entry bins: log2 of the bin's width in ns
  first_row INTEGER NOT NULL, -- of tiles: the first bin
  rows INTEGER NOT NULL,
  first_begin_ns INTEGER NOT NULL,
  last_begin_ns INTEGER NOT NULL,
  max_end_ns INTEGER NOT NULL,
  hash INTEGER NOT NULL       -- XXH3-64 of the data
))",
     true},
    {"chunk_data", R"(CREATE TABLE chunk_data( -- zstd of delta and varint coded columns
  id INTEGER PRIMARY KEY REFERENCES chunk(id),
  data BLOB NOT NULL
))",
     false},
};

}  // namespace longpole
