// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/file/schema.h"

#include "core/base/partfile.h"
#include "core/base/translate.h"
#include "core/trace/storedanswers.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

namespace longpole {
namespace {

// The columns of a table, whose DDL is the only list of them: a line for each, beginning with its name behind two
// blanks.
constexpr std::size_t columnsOf(std::string_view ddl)
{
    std::size_t columns = 0;
    for (std::size_t at = ddl.find('\n'); at != std::string_view::npos; at = ddl.find('\n', at + 1)) {
        const std::string_view line = ddl.substr(at + 1, 3);
        columns += line.size() == 3 && line.starts_with("  ") && line[2] >= 'a' && line[2] <= 'z';
    }
    return columns;
}

constexpr TableSpec specs[] = {
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
  track INTEGER NOT NULL,     -- references track; 4294967295: the whole run
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
    // Of a trace that has the events of parts of the run only.
    {"kept", R"(CREATE TABLE kept( -- where the trace has events: all that touch this time
  pe INTEGER NOT NULL REFERENCES processor(pe),
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL
))",
     true},
    {"result", R"(CREATE TABLE result( -- what was computed of the whole run, in one row; -1: none
  path_length_ns INTEGER NOT NULL,  -- of the work path with the ranks' order
  path_pe INTEGER NOT NULL,         -- of the task it ends at
  path_task INTEGER NOT NULL,
  slack_tasks INTEGER NOT NULL,     -- of the run
  slack_without INTEGER NOT NULL,   -- of these, without slack
  efficiency_begin_ns INTEGER NOT NULL,
  efficiency_end_ns INTEGER NOT NULL,
  ideal_ns INTEGER NOT NULL,        -- T_ideal
  left_out_ns INTEGER NOT NULL,     -- start-up and shut-down
  left_out_busy_ns INTEGER NOT NULL,
  threads INTEGER NOT NULL,         -- others than the ranks' own
  threads_in_regions_ns INTEGER NOT NULL,
  threads_in_mpi_ns INTEGER NOT NULL,
  threads_waited_ns INTEGER NOT NULL,
  wait_ns INTEGER NOT NULL,         -- of all waits
  wait_of_ns INTEGER NOT NULL,      -- of so much time
  wait_threads INTEGER NOT NULL,
  one_sided_ns INTEGER NOT NULL,    -- in calls that are not judged
  files_ns INTEGER NOT NULL,
  idle_in_states_ns INTEGER NOT NULL,
  idle_before_last_ns INTEGER NOT NULL,
  idle_after_first_ns INTEGER NOT NULL,
  idle_elsewhere_ns INTEGER NOT NULL,
  elapsed_pe INTEGER NOT NULL,      -- of the task that the elapsed path ends at
  elapsed_task INTEGER NOT NULL
))",
     true},
    {"result_path_step", R"(CREATE TABLE result_path_step( -- of the work path, oldest first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,      -- row on that PE
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  edge INTEGER NOT NULL,      -- by which it came: 0 start, 1 order, 2 message, 3 recorded merge, 4 inferred merge
  doubtful INTEGER NOT NULL,
  call_path INTEGER NOT NULL  -- where the task ran
))",
     true},
    {"result_path_profile", R"(CREATE TABLE result_path_profile( -- by entry, most time first
  entry INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_zeroing", R"(CREATE TABLE result_zeroing( -- what the path gains if an entry costs nothing
  entry INTEGER NOT NULL,
  share_ns INTEGER NOT NULL,      -- its time on the path
  net_ns INTEGER NOT NULL,        -- length afterwards
  gain_ns INTEGER NOT NULL,
  next_critical INTEGER NOT NULL  -- entry with most time on that path
))",
     true},
    {"result_zeroing_profile", R"(CREATE TABLE result_zeroing_profile( -- of the path afterwards
  zeroed INTEGER NOT NULL,  -- the entry that costs nothing
  entry INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_slack", R"(CREATE TABLE result_slack( -- tasks with least slack, least first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  slack_ns INTEGER NOT NULL
))",
     true},
    {"result_wait", R"(CREATE TABLE result_wait( -- wait states, by time
  kind INTEGER NOT NULL,  -- 0 late sender, 1 late receiver, 2 wrong order from one source, 3 from several, 4 wait at
                          -- barrier, 5 barrier completion, 6 wait at N to N, 7 its completion, 8 early reduce, 9 late
                          -- broadcast, 10 early scan, 11 barrier of threads, 12 device synchronization, 13 wait at
                          -- fence, 14 late post, 15 early wait, 16 late complete, 17 lock competition
  waits INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  on_ranks_ns INTEGER NOT NULL  -- of that, on the ranks' own threads
))",
     true},
    {"result_wait_of_rank", R"(CREATE TABLE result_wait_of_rank( -- likewise, of ranks that waited
  kind INTEGER NOT NULL,
  pe INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_worst_wait", R"(CREATE TABLE result_worst_wait( -- of each wait state, longest first
  kind INTEGER NOT NULL,
  pe INTEGER NOT NULL,
  seq INTEGER NOT NULL,      -- the call that waited
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  region INTEGER NOT NULL,   -- that call's name
  call_path INTEGER NOT NULL,
  culprit INTEGER NOT NULL,  -- rank that was waited for
  culprit_seq INTEGER NOT NULL,
  entry INTEGER NOT NULL,    -- what that rank ran meanwhile
  task_pe INTEGER NOT NULL,
  task INTEGER NOT NULL,
  ran_ns INTEGER NOT NULL,
  waited_ns INTEGER NOT NULL,
  within_ns INTEGER NOT NULL,
  track INTEGER NOT NULL,    -- of the thread that waited
  culprit_track INTEGER NOT NULL,
  culprit_call_path INTEGER NOT NULL  -- the function in which that rank was; 0: not known
))",
     true},
    {"result_useful", R"(CREATE TABLE result_useful( -- time of a rank outside of MPI, without start-up and shut-down
  pe INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  counted INTEGER NOT NULL  -- whether averages count it
))",
     true},
    {"result_elapsed_step", R"(CREATE TABLE result_elapsed_step( -- of the elapsed path, oldest first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,      -- row on that PE; of what is between two tasks: of the one behind it
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  part INTEGER NOT NULL,      -- 0 compute, 1 network, 2 queue, 3 overhead, 4 unexplained, 5 startup
  edge INTEGER NOT NULL,      -- as in result_path_step
  doubtful INTEGER NOT NULL,
  call_path INTEGER NOT NULL  -- where the task ran
))",
     true},
    {"result_elapsed_profile", R"(CREATE TABLE result_elapsed_profile( -- its computation by entry, most time first
  entry INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_cause",
     R"(CREATE TABLE result_cause( -- code that others waited for: of all ranks, then of each, largest first
  entry INTEGER NOT NULL,          -- number of an entry or region
  rank INTEGER NOT NULL,           -- that others waited for; -1: all together
  direct_ns INTEGER NOT NULL,      -- of ranks that waited for this code
  propagated_ns INTEGER NOT NULL,  -- of ranks that waited for ranks that waited themselves
  call_path INTEGER NOT NULL       -- where most of it was; 0: not known
))",
     true},
    {"result_near_path", R"(CREATE TABLE result_near_path( -- the next longest paths that share little with those before
  path INTEGER NOT NULL,         -- from 2: the first is the work path
  is_listed INTEGER NOT NULL,    -- 0: it is only the longest other one, and too much shorter or too much alike
  slack_ns INTEGER NOT NULL,     -- by how much it is shorter than the work path
  distinct_ns INTEGER NOT NULL,  -- of it, on tasks of no path before
  steps INTEGER NOT NULL
))",
     true},
    {"result_near_step", R"(CREATE TABLE result_near_step( -- of these paths, one after the other, each oldest first
  path INTEGER NOT NULL,
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,      -- row on that PE
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  edge INTEGER NOT NULL,      -- as in result_path_step
  doubtful INTEGER NOT NULL,
  call_path INTEGER NOT NULL  -- where the task ran
))",
     true},
    {"result_loop", R"(CREATE TABLE result_loop( -- the program's outermost loop, one row; none if it is not known
  call_path INTEGER NOT NULL,    -- from where ranks call MPI once in each iteration
  call INTEGER NOT NULL,         -- region of that call
  iterations INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,     -- of the loop
  end_ns INTEGER NOT NULL,
  is_mark_last INTEGER NOT NULL  -- 1: that call ends iterations, 0: it begins them
))",
     true},
    {"result_loop_mark", R"(CREATE TABLE result_loop_mark( -- when the first rank makes that call, by iteration
  begin_ns INTEGER NOT NULL
))",
     true},
    {"result_advice", R"(CREATE TABLE result_advice( -- what advice follows from, one row; none: it was not asked for
  stages INTEGER NOT NULL,             -- equal parts of the run
  has_tasks INTEGER NOT NULL,
  window_begin_ns INTEGER NOT NULL,    -- the period that lost most
  window_end_ns INTEGER NOT NULL,
  start_stop_ns INTEGER NOT NULL,      -- overhead in the periods that is start-up and shut-down
  busiest_pe INTEGER NOT NULL,         -- that may hold the others up; -1: none
  beside_idle_ns INTEGER NOT NULL,     -- idle time of the others while it was busy
  uneven INTEGER NOT NULL,             -- 1: interruptions were looked for, as work is spread unevenly
  interrupted_tasks INTEGER NOT NULL,
  interrupted_ns INTEGER NOT NULL,     -- what these lost
  task_ns INTEGER NOT NULL             -- of all tasks
))",
     true},
    {"result_advice_place", R"(CREATE TABLE result_advice_place( -- where each piece of advice is about, in its order
  call_path INTEGER NOT NULL  -- 0: not known
))",
     true},
    {"result_advice_period", R"(CREATE TABLE result_advice_period( -- the periods that advice is about
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL
))",
     true},
    {"result_stage_use", R"(CREATE TABLE result_stage_use( -- of each rank in each stage, where it did something
  pe INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  user_ns INTEGER NOT NULL,
  idle_ns INTEGER NOT NULL
))",
     true},
    {"result_stage_idle", R"(CREATE TABLE result_stage_idle( -- idle time of all ranks in a stage by what it waited for
  stage INTEGER NOT NULL,
  cause INTEGER NOT NULL,    -- 0 end, 1 synchronization, 2 latency, 3 scheduling, 4 imbalance, 5 parallelism
  time_ns INTEGER NOT NULL,
  none_ns INTEGER NOT NULL,  -- of synchronization: while no other rank worked
  one_ns INTEGER NOT NULL,   -- one
  more_ns INTEGER NOT NULL   -- several
))",
     true},
    {"result_idle_code", R"(CREATE TABLE result_idle_code( -- idle time of all ranks by code
  entry INTEGER NOT NULL,     -- -1: none
  cause INTEGER NOT NULL,     -- as in result_stage_idle
  ended_ns INTEGER NOT NULL,  -- until this code began
  sent_ns INTEGER NOT NULL    -- until the message of this code
))",
     true},
    {"result_idle_example", R"(CREATE TABLE result_idle_example( -- the longest idle intervals of each cause
  cause INTEGER NOT NULL,       -- as in result_stage_idle
  pe INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  task INTEGER NOT NULL,        -- of that PE, that ended it; -1: none did
  entry INTEGER NOT NULL,
  source_pe INTEGER NOT NULL,   -- of the task that sent its message; -1: not known
  source_task INTEGER NOT NULL,
  source_entry INTEGER NOT NULL
))",
     true},
    {"result_interruption", R"(CREATE TABLE result_interruption( -- tasks that were interrupted, most lost first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  lost_ns INTEGER NOT NULL
))",
     true},
    {"result_call_time", R"(CREATE TABLE result_call_time( -- MPI calls of all ranks in the period that lost most
  call INTEGER NOT NULL,  -- region
  calls INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  wait_before_ns INTEGER NOT NULL,
  execution_ns INTEGER NOT NULL,
  wait_after_ns INTEGER NOT NULL,
  bytes INTEGER NOT NULL
))",
     true},
    {"result_busiest_load", R"(CREATE TABLE result_busiest_load( -- what the busiest rank did in the periods
  entry INTEGER NOT NULL,  -- with most of it
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_beside_busy", R"(CREATE TABLE result_beside_busy( -- and beyond what the others did
  entry INTEGER NOT NULL,
  more_ns INTEGER NOT NULL  -- its time, times the number of the others, less their time
))",
     true},
    {"result_merged_step",
     R"(CREATE TABLE result_merged_step( -- Charm++: the work path with inferred merges, oldest first
  pe INTEGER NOT NULL,
  task INTEGER NOT NULL,      -- row on that PE
  entry INTEGER NOT NULL,
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  edge INTEGER NOT NULL,      -- as in result_path_step
  doubtful INTEGER NOT NULL,
  call_path INTEGER NOT NULL  -- 0
))",
     true},
    {"result_merged_profile", R"(CREATE TABLE result_merged_profile( -- its entries, most time first
  entry INTEGER NOT NULL,
  tasks INTEGER NOT NULL,
  time_ns INTEGER NOT NULL
))",
     true},
    {"result_phase_round", R"(CREATE TABLE result_phase_round( -- Charm++: iterations as objects go through them
  phase INTEGER NOT NULL,  -- of those that repeat along that path, from 1
  mark INTEGER NOT NULL,   -- entry method that begins them
  begin_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL
))",
     true},
    {"result_region_call", R"(CREATE TABLE result_region_call( -- of ranks: calls of functions and of MPI
  region INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,  -- inside, with what they call
  held_ns INTEGER NOT NULL,  -- of that, where the rank waited for its threads or devices
  is_mpi INTEGER NOT NULL
))",
     true},
    {"result_outside_tasks", R"(CREATE TABLE result_outside_tasks( -- messages that were created outside of tasks
  pe INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  bytes INTEGER NOT NULL
))",
     true},
};

// Answers are read and written by place (core/trace/storedanswers.h).
constexpr bool fitsAnswers()
{
    for (const AnswerSpec& answer : answerSpecs) {
        const auto* const spec = std::find_if(std::begin(specs), std::end(specs), [&](const TableSpec& one) {
            return std::string_view(one.name) == answer.name;
        });
        if (spec == std::end(specs) || columnsOf(spec->ddl) != answer.columns) return false;
    }
    return true;
}
static_assert(fitsAnswers());

void addValue(ValueHasher& hasher, const Statement& row, int column)
{
    switch (row.type(column)) {
    case SqlType::Integer: return hasher.addInteger(row.integer(column));
    case SqlType::Real: return hasher.addReal(row.real(column));
    case SqlType::Text: return hasher.addText(row.text(column));
    case SqlType::Blob: return hasher.addBlob(row.blob(column));
    case SqlType::Null: return hasher.addNull();
    }
}

constexpr std::size_t tablesOfAll = [] {
    std::size_t number = 0;
    while (std::string_view(specs[number].name) != "kept") ++number;  // the first of those of parts
    return number;
}();

// Whatever else stands in the schema is run or read in place of what it hides: views that never end, tables named as
// those of the SQL module, triggers, indexes on expressions.
Result<std::span<const TableSpec>> checkTables(Database& database)
{
    Result<Statement> rows = database.prepare("SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema");
    if (!rows) return rows.error();
    std::size_t known = 0;
    for (;;) {
        const Result<bool> row = rows->step();
        if (!row) return row.error();
        if (!*row) break;
        const bool isKnown = known < std::size(specs) && rows->text(0) == "table" && rows->text(1) == specs[known].name
                             && rows->text(2) == specs[known].name && rows->text(3) == specs[known].ddl
                             && rows->integer(4) > 1;
        if (!isKnown)
            return damagedFile(database.path(),
                               tr("its schema holds what no Longpole file does: %1").arg(rows->string(1).left(80)));
        ++known;
    }
    if (known == tablesOfAll) return tables(HasEvents::All);
    if (known == std::size(specs)) return tables(HasEvents::OfParts);
    return damagedFile(database.path(), tr("a table is missing"));
}

Result<> createTables(Database& database, std::span<const TableSpec> some)
{
    for (const TableSpec& spec : some)
        if (auto created = database.execute(spec.ddl); !created) return created;
    return Unit{};
}

// A file that was cut inside its last page would otherwise show it only when that page is read.
Result<> checkLength(Database& database)
{
    const Result<std::int64_t> pages = database.integer("PRAGMA page_count");
    if (!pages) return pages.error();
    const Result<std::int64_t> pageSize = database.integer("PRAGMA page_size");
    if (!pageSize) return pageSize.error();
    if (*pages * *pageSize > database.file()->bytes()) return damagedFile(database.path(), tr("its end is missing"));
    return Unit{};
}

}  // namespace

std::span<const TableSpec> tables(HasEvents has)
{
    return std::span(specs).first(has == HasEvents::All ? tablesOfAll : std::size(specs));
}

Result<> createSchema(Database& database)
{
    std::string pragmas = "PRAGMA application_id = ";
    pragmas += std::to_string(unfinishedMark);
    pragmas += "; PRAGMA user_version = ";
    pragmas += std::to_string(schemaVersion);
    if (auto set = database.execute(pragmas.c_str()); !set) return set;
    return createTables(database, tables(HasEvents::All));
}

Result<> addTablesOfParts(Database& database) { return createTables(database, std::span(specs).subspan(tablesOfAll)); }

Result<> markFinished(Database& database)
{
    std::string pragma = "PRAGMA application_id = ";
    pragma += std::to_string(applicationId);
    return database.execute(pragma.c_str());
}

Result<std::span<const TableSpec>> checkSchema(Database& database)
{
    const Result<std::int64_t> application = database.integer("PRAGMA application_id");
    if (!application) return application.error();
    if (*application == unfinishedMark)
        return Error{.what = tr("The file is unfinished: its import did not end."),
                     .where = database.path(),
                     .hint = tr("Import the trace again.")};
    if (*application != applicationId)
        return Error{.what = tr("This is not a Longpole file."),
                     .where = database.path(),
                     .hint = tr("Open a .longpole file, or a trace to import.")};
    const Result<std::int64_t> version = database.integer("PRAGMA user_version");
    if (!version) return version.error();
    if (*version > schemaVersion)
        return Error{.what = tr("The file was made by a newer Longpole: its schema has version %1, this program knows "
                                "versions up to %2.")
                                 .arg(*version)
                                 .arg(schemaVersion),
                     .where = database.path(),
                     .hint = tr("Update Longpole, or import the trace again with this version.")};
    if (*version < 1) return damagedFile(database.path(), tr("schema version %1").arg(*version));
    if (*version < schemaVersion)
        return Error{.what = tr("The file was made by an older Longpole: its schema has version %1, this program reads "
                                "version %2.")
                                 .arg(*version)
                                 .arg(schemaVersion),
                     .where = database.path(),
                     .hint = tr("Import the trace again from its logs.")};
    if (const Result<> length = checkLength(database); !length) return length.error();
    return checkTables(database);
}

Result<> scanTable(Database& database, const TableSpec& table, ValueHasher& hasher, std::int64_t limit,
                   const std::function<void(const Statement&)>& row)
{
    const std::string sql = std::string("SELECT * FROM ") + table.name + " ORDER BY rowid";  // reads no index
    Result<Statement> statement = database.prepare(sql.c_str());
    if (!statement) return damagedFile(database.path(), statement.error().what);
    hasher.addText(table.name);
    const bool isMeta = std::strcmp(table.name, "meta") == 0;
    for (std::int64_t rows = 0;; ++rows) {
        const Result<bool> step = statement->step();
        if (!step) return step.error();
        if (!*step) return Unit{};
        if (rows >= limit)
            return damagedFile(database.path(), tr("table %1 has no end").arg(QLatin1String(table.name)));
        if (row) row(*statement);
        if (isMeta && statement->text(0) == "stamp") continue;
        for (int column = 0; column < statement->columns(); ++column) addValue(hasher, *statement, column);
    }
}

Result<ValueHasher> beginStamp(Database& database)
{
    const Result<std::int64_t> version = database.integer("PRAGMA user_version");
    if (!version) return version.error();
    ValueHasher hasher;
    hasher.addInteger(*version);
    return Result<ValueHasher>(std::move(hasher));
}

}  // namespace longpole
