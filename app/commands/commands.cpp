// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/commands.h"

#include "analysis/compare/limits.h"

#include <algorithm>
#include <array>

namespace longpole {

namespace {

constexpr CommandOption symbolsOption{"symbols", "OTHER.sts",
                                      "name the entries of a killed run after another run's .sts"};
constexpr CommandOption jsonOption{"json", nullptr, "write JSON"};
constexpr CommandOption csvOption{"csv", nullptr, "write comma-separated values"};
constexpr CommandOption fileOption{"o", "FILE", "write to FILE, as its ending says: .json, .csv, .txt"};

constexpr CommandOption edgesOption{
    "edges", "EDGES", "what orders tasks: messages; recorded and inferred merges; the processors' order too (default)",
    "messages merges order"};

// Of analyses that look at all paths, of which a sweep has none.
constexpr CommandOption throughModeOption{
    "mode", "MODE", "work: chains of computation (default); elapsed: the run with its latencies and gaps as they were",
    "work elapsed"};
constexpr CommandOption fromOption{"from", "T", "only what happens after this time"};
constexpr CommandOption untilOption{"until", "T", "only what happens before this time"};

constexpr CommandOption importOptions[] = {
    {"o", "FILE", "write FILE.longpole instead of into the cache"},
    symbolsOption,
    jsonOption,
};
constexpr CommandOption infoOptions[] = {jsonOption, csvOption, fileOption, symbolsOption};
constexpr CommandOption profileOptions[] = {
    {"by", "KIND",
     "one row per entry method or region (default), chare or group, processor or rank, object, or the MPI "
     "calls around the code",
     "entry chare pe object calls"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};

// Of commands that answer with a table or a chart.
constexpr CommandOption chartFileOption{"o", "FILE", "write FILE: .png, .svg, .json, .csv or .txt"};
constexpr CommandOption themeOption{"theme", "THEME", "of a picture: light (default) or dark", "light dark"};
constexpr CommandOption sizeOption{"size", "WxH", "of a picture: pixels, e.g. 1920x1080"};
constexpr CommandOption rangeOption{"range", "A..B", "this part of the run"};
constexpr CommandOption pesOption{"pes", "PES", "these processors"};

constexpr CommandOption histogramOptions[] = {
    {"of", "WHAT", "what is counted (default: task-duration)",
     "task-duration message-size idle-length latency queue-wait"},
    rangeOption,
    pesOption,
    {"entry", "E", "only this entry method (id or name); repeated: these"},
    {"by", "KIND", "a row per bin (default), or per bin and entry method", "bin entry"},
    {"log", nullptr, "bins that begin at 1, 2 and 5 times powers of ten (default)"},
    {"per-decade", "K", "logarithmic bins, so many per power of ten"},
    {"linear", nullptr, "bins of equal width"},
    {"bins", "N", "linear, about so many at most"},
    {"width", "W", "linear, each so wide: a time, or bytes"},
    {"height", "WHAT", "of a picture's bars: count (default) or sum", "count sum"},
    {"log-height", nullptr, "heights of a picture's bars on a logarithmic scale"},
    themeOption,
    sizeOption,
    jsonOption,
    csvOption,
    chartFileOption,
    symbolsOption,
};
constexpr CommandOption usageOptions[] = {
    {"by", "KIND", "a row per processor (default), or per processor and entry method", "pe entry"},
    rangeOption,
    pesOption,
    themeOption,
    sizeOption,
    jsonOption,
    csvOption,
    chartFileOption,
    symbolsOption,
};
constexpr CommandOption commMatrixOptions[] = {
    {"by", "KIND", "from processor to processor (default), node to node, or entry method to entry method",
     "pe node entry"},
    rangeOption,
    pesOption,
    {"limit", "N", "only the N pairs with most bytes; text shows 50 unless told"},
    {"measure", "WHAT", "of a picture: bytes (default) or messages", "bytes messages"},
    {"linear", nullptr, "a picture's colours on a linear scale instead of a logarithmic one"},
    themeOption,
    sizeOption,
    jsonOption,
    csvOption,
    chartFileOption,
    symbolsOption,
};
constexpr CommandOption criticalPathOptions[] = {
    {"mode", "MODE",
     "work: longest chain of computation (default); elapsed: backward walk over the whole duration; "
     "sweep: bottleneck segments",
     "work elapsed sweep"},
    edgesOption,
    {"to", "TASK", "the path that ends at this task"},
    fromOption,
    untilOption,
    {"streaming", nullptr, "Hollingsworth's online algorithm: one pass in order of time, no graph, no steps"},
    {"procedures", "A,B",
     "with --streaming: follow these entry methods, by id or name (default: the eight with most "
     "time)"},
    {"sample", "T", "with --streaming: the path as far as it has come, every T"},
    {"inclusive", nullptr, "with --streaming: shares with all that the entry methods run nested"},
    {"exclusive", nullptr, "with --streaming: shares without it (default)"},
    {"zeroing", nullptr, "with --streaming: the length if each of them cost nothing"},
    {"top-share", "M", "with --streaming: search for the entry methods with more than 1/M of the path"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption activityTableOptions[] = {
    {"pe", "P", "the table of this processor"}, edgesOption, jsonOption, csvOption, fileOption, symbolsOption,
};
constexpr CommandOption slackOptions[] = {
    throughModeOption,
    edgesOption,
    {"max", "T", "only tasks with slack up to this"},
    {"limit", "N", "only the N tasks with least slack; text shows 50 unless told"},
    fromOption,
    untilOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption nearCriticalOptions[] = {
    {"k", "N", "at most so many paths (10 unless told)"},
    throughModeOption,
    edgesOption,
    fromOption,
    untilOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption phasesOptions[] = {
    {"support", "N", "phases with at least so many instances (6 unless told)"},
    {"collapse", nullptr, "a run of one symbol counts as one, however long it is"},
    {"overlapping", nullptr, "count instances that overlap too"},
    {"k", "N", "at most so many phases (5 unless told)"},
    {"prove", nullptr, "search until every answer is certain, however long it takes"},
    {"text", "FILE", "of a text, whose characters are the symbols, instead of a TRACE"},
    {"mode", "MODE", "the path: work (default), elapsed or sweep", "work elapsed sweep"},
    edgesOption,
    fromOption,
    untilOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption foldOptions[] = {
    {"o", "FILE", "the folded trace, which ends in .longpole"},
    {"cut", "WHAT",
     "iterations (default): from each begin of a phase's mark to the next; "
     "repeats of it, or instances, exactly as 'phases' counts them",
     "iterations repeats instances"},
    {"phase", "N", "of the N-th phase (1 unless told)"},
    {"support", "N", "phases with at least so many instances (6 unless told)"},
    {"keep-runs", nullptr, "a run of one entry method is as many symbols as tasks, not one"},
    {"mode", "MODE", "the path: work (default), elapsed or sweep", "work elapsed sweep"},
    edgesOption,
    fromOption,
    untilOption,
    jsonOption,
    symbolsOption,
};
constexpr CommandOption efficiencyOptions[] = {
    fromOption,
    untilOption,
    {"by-phase", "N", "of consecutive parts of the run too, at most so many: between points where all ranks meet"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption parallelismOptions[] = {
    {"k", "N", "at most so many tasks (10 unless told)"},
    {"edges", "EDGES", "what tasks wait for: messages (default); recorded and inferred merges too", "messages merges"},
    fromOption,
    untilOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption graphOptions[] = {
    {"o", "FILE", "the picture or the graph, as the ending says: .png, .svg, .dot (Graphviz), .csv, .json"},
    {"range", "A..B", "tasks in this part of the run"},
    {"pes", "PES", "tasks on these processors"},
    {"to", "TASK", "of those, the path that ends at this task and the tasks next to it"},
    {"nodes", "N", "at most so many tasks, up to 500 (default)"},
    edgesOption,
    {"theme", "THEME", "light (default) or dark", "light dark"},
    jsonOption,
    csvOption,
    symbolsOption,
};
constexpr CommandOption reduceOptions[] = {
    {"keep", "WHAT", "critical: the processors on the critical path", "critical"},
    {"pes", "PES", "these processors"},
    {"range", "A..B", "this part of the run"},
    {"o", "DIR", "the folder to write the reduced trace into"},
    {"with-path", nullptr, "write the critical path too, as intervals of the user event \"Critical Path\""},
    {"mode", "MODE", "which path: work (default), elapsed or sweep, as of critical-path", "work elapsed sweep"},
    edgesOption,
    jsonOption,
    symbolsOption,
};
constexpr CommandOption projectOptions[] = {
    {"attribute", "A", "what: utilization, user, idle, bytes_sent, user@Chare::entry ... or a formula over them"},
    {"list", nullptr, "name all attributes, and why the trace lacks some"},
    {"view", "VIEW",
     "detailed: every stage of every processor (default); overview: all processors, or all stages, as one; "
     "animation: processors on a grid, stage after stage, as an animated PNG",
     "overview detailed animation"},
    {"over", "AXIS", "an overview has one value a stage, over processors (default), or one a processor, over time",
     "processors time"},
    {"statistic", "S",
     "of an overview: together (default: sums, or sum over sum), mean, max, min, or pN: a percentile"},
    {"stages", "N", "so many stages of equal length (100 unless told), or \"iterations\": of the first repeated phase"},
    {"timestep", "T", "stages of this length, the last one shorter"},
    {"by", "EVENT", "stages that begin where a user event is marked, or \"phase\": where the program ended its phases"},
    {"stage-set", "SET", "write only these stages, e.g. 1,3-9:3,11"},
    {"range", "A..B", "stages of this part of the run"},
    {"pes", "PES", "these processors"},
    {"o", "FILE", "write to FILE, as its ending says: .png, .svg, .json, .csv, .txt"},
    {"log", nullptr, "a logarithmic scale, of pictures"},
    {"grid", "SHAPE",
     "of an animation: square (default), nodes (one row each), columns, or columns x rows such as 16x8"},
    {"path", nullptr, "of an animation: show the critical path walking over the grid"},
    {"delay", "MS", "of an animation: how long a stage shows (100 unless told)"},
    {"size", "WxH", "of a picture: pixels, e.g. 1920x1080"},
    {"theme", "THEME", "of a picture: light (default) or dark", "light dark"},
    {"mode", "MODE", "for critical_path: which path, as of critical-path", "work elapsed sweep"},
    edgesOption,
    jsonOption,
    csvOption,
    symbolsOption,
};
constexpr CommandOption waitsOptions[] = {
    {"pattern", "P", "only this wait state: late_sender, wait_at_barrier ..., as --json names them"},
    {"rank", "R", "only what this rank waited"},
    {"worst", "N", "the N longest waits of each state (5 unless told)"},
    {"causes", nullptr, "the code that others waited for, directly and by way of others, instead"},
    {"imbalance", nullptr, "execution and wait of collective calls by rank and by call, and their ratios, instead"},
    fromOption,
    untilOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption zeroingOptions[] = {
    {"entry", "E", "this entry method (id or name) instead of those on the path; repeated: these, and all at once"},
    {"factor", "P/Q", "what their time is multiplied with: 1/2, 0.5, 50% or 2; 0 unless told"},
    throughModeOption,
    edgesOption,
    fromOption,
    untilOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
// An option for each figure that can have a limit, and the others.
constexpr auto checkOptions = [] {
    constexpr std::array others{
        CommandOption{"format", "FORMAT", "text (default), json, markdown (a table for a pull request) or junit (XML)",
                      "text json markdown junit"},
        jsonOption,
        CommandOption{"o", "FILE", "write to FILE, as its ending says: .txt, .json, .md, .xml"},
        symbolsOption,
    };
    std::array<CommandOption, 1 + limitSpecs.size() + others.size()> options{
        CommandOption{"baseline", "BASE", "the trace to compare with; only limits such as 200ms do without"}};
    std::size_t next = 1;
    for (const LimitSpec& spec : limitSpecs) options[next++] = {spec.option, spec.value, spec.help};
    for (const CommandOption& option : others) options[next++] = option;
    return options;
}();
constexpr CommandOption replayOptions[] = {
    {"queue", "ORDER", "what waits runs first in, first out (default), last in, first out, or by priority",
     "fifo lifo prio"},
    {"priority", "E=N",
     "messages of this entry method (id or name) at priority N: smaller first, 0 unless told; repeated"},
    {"network", "KIND", "ideal: messages take no time; zero-latency: only what their size takes", "ideal zero-latency"},
    {"balance", "KIND", "perfect: every processor has the mean of their work", "perfect"},
    {"factor", "E=P/Q", "this entry method's own time multiplied by 1/2, 0.5, 50% or 2; repeated"},
    {"o", "FILE", "write to FILE: .json, .csv or .txt; .longpole: the replayed run as a trace"},
    jsonOption,
    csvOption,
    symbolsOption,
};
constexpr CommandOption thresholdsOption{
    "thresholds", "FILE", "judge with the thresholds of this file (tree --default-thresholds prints one)"};
constexpr CommandOption adviseOptions[] = {
    {"priorities", "FILE", "write the priorities of the entry methods that are advised, too: .json, .h or .csv"},
    {"all-path-entries", nullptr, "with --priorities: of all entry methods on the path, as Charm++ itself would"},
    thresholdsOption,
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption treeOptions[] = {
    thresholdsOption,
    {"default-thresholds", nullptr, "write the file of thresholds, to be copied and edited, instead of judging"},
    jsonOption,
    csvOption,
    fileOption,
    symbolsOption,
};
constexpr CommandOption compareOptions[] = {thresholdsOption, jsonOption, csvOption, fileOption, symbolsOption};
constexpr CommandOption reportOptions[] = {
    {"o", "FILE", "the report: .html, .md, .json or .pdf"},
    thresholdsOption,
    symbolsOption,
};
constexpr CommandOption renderOptions[] = {
    {"o", "FILE", "the picture: .png or .svg"},
    {"range", "A..B", "this part of the run"},
    {"pes", "PES", "these processors"},
    {"path", nullptr, "mark the critical path (work path, edges order)"},
    {"theme", "THEME", "light (default) or dark", "light dark"},
    {"size", "WxH", "pixels, e.g. 1920x1080, or 1920: as high as the rows need"},
    symbolsOption,
};
constexpr CommandOption sqlOptions[] = {jsonOption, csvOption, fileOption, symbolsOption};
constexpr CommandOption cacheOptions[] = {jsonOption, csvOption, fileOption};

constexpr CommandOption recordOptions[] = {
    {"o", "FOLDER", "the recording, by custom named .lprec (PROGRAM.lprec unless told)"},
    {"force", nullptr, "replace an earlier recording there"},
    {"threshold", "T", "computations shorter than this are joined with the calls around them (50us; none unless told)"},
    {"compression", "HOW", "off, min: columns (default), max: columns and zstd", "off min max"},
    {"clock", "HOW",
     "how clocks are aligned: auto (default; ranks of one host share a clock), rtt: fastest round trips, "
     "barrier: times after barriers, none",
     "auto rtt barrier none"},
    {"summary", nullptr, "statistics on standard error when the program calls MPI_Finalize"},
    {"calls", "FILE", "then also write a table with one row per call, CSV, which Longpole opens"},
    {"buffer", "SIZE", "of each thread, 64K to 64M (256K unless told)"},
    {"config", "FILE", "settings, one \"key = value\" a line: threshold, compression, clock, summary, calls, buffer"},
    {"no-import", nullptr, "leave the recording as it is; it is imported when it is opened"},
    {"open", nullptr, "open the recording in the desktop program if the program succeeded"},
};

constexpr Command list[] = {
    {"import", "TRACE", "turn a raw trace into one .longpole file",
     "Imports a raw trace (Projections logs, or the .sum and .sumd files of summary mode) into the cache and prints\n"
     "the path of the file, or writes the file that -o names.\n"
     "What had to be skipped or repaired is counted; 'longpole info' lists it.",
     1, 1, false, importOptions, runImport},
    {"info", "TRACE", "what the trace is, its totals and its health",
     "Says what the trace is and how large, how the time of its processors divides into busy, idle and overhead,\n"
     "and what was skipped, repaired or unmatched when it was imported.",
     1, 1, false, infoOptions, runInfo},
    {"profile", "TRACE", "time, messages and bytes per entry method, chare, processor or object",
     "Lists where the time went, largest first. The time of nested executions belongs to the innermost (exclusive);\n"
     "the share is exclusive time over all busy time.",
     1, 1, false, profileOptions, runProfile},
    {"usage", "TRACE", "what each processor did with its time: entry methods, idle, overhead",
     "Lists user time, idle time and overhead of each processor, which add up to the run exactly, and with --by entry\n"
     "or in JSON the user time by entry method (exclusive). Pack, flush and untraced lie inside overhead or idling. A "
     "picture\n"
     "stacks them. With --range times are cut at its ends.",
     1, 1, true, usageOptions, runUsage},
    {"histogram", "TRACE", "how task durations, message sizes, idle times and waiting times are distributed",
     "Counts exact values in bins, with their sums, and by entry method in JSON and pictures: the time that tasks ran\n"
     "themselves (task-duration), the bytes of each creation (message-size), each time a processor idled "
     "(idle-length),\n"
     "the time from a message's sending to its execution (latency), or from its arrival to its execution "
     "(queue-wait).\n"
     "Arrivals that the log does not have are estimated from the fastest message between the two processors, and it "
     "says\n"
     "how many. With --range counts what begins in it; a message counts where it is sent, or, for latency and\n"
     "queue-wait, where it is executed. Percentiles are values of nearest rank.",
     1, 1, true, histogramOptions, runHistogram},
    {"comm-matrix", "TRACE", "messages and bytes from processor to processor, or between entry methods",
     "Lists who sent how much to whom, most bytes first. A broadcast counts once per execution, with the bytes of the\n"
     "message that was executed. --by entry is the call table: from the entry method that created a message to the "
     "one\n"
     "that executed it. With --range counts what is executed in it; with --pes both ends are among these. Said apart:\n"
     "messages to or from other processors, and those that nobody executed.",
     1, 1, true, commMatrixOptions, runCommMatrix},
    {"critical-path", "TRACE", "the critical path and its profile",
     "Finds the longest chain of computation (work), the chain of compute, network, queue and overhead that fills\n"
     "the whole duration (elapsed), or the longest segment of each group of overlapping ones (sweep).\n"
     "elapsed always follows the processors' order. --csv lists the steps.\n\n"
     "--edges merges infers what tasks waited for besides their message: messages that an object buffered until it\n"
     "could act, Structured Dagger's when and overlap, and contributions to reductions. Recorded merges take their\n"
     "place where there are any. --edges messages says how long the path would be at most with them.\n\n"
     "--from and --until cut tasks at these times. Where a task had begun by then on a message that was sent only\n"
     "later, clocks disagree and the program was in no such state: the text says so, and how far it is from one.\n\n"
     "--streaming gives the length of the work path at edges order, and what chosen entry methods have of it, with\n"
     "memory for the processors, these entry methods and the messages in flight: for traces too large for a graph.\n"
     "--from and --until are the times at which all processors are told to start and to stop. Of equally long paths\n"
     "the local one stays, so that shares may differ from those of the path with steps. --top-share passes over the\n"
     "trace a few times. --csv lists the samples, without --sample the profile.",
     1, 1, false, criticalPathOptions, runCriticalPath},
    {"project", "TRACE", "an attribute of the program by stage and processor",
     "Cuts the run into stages and says what an attribute of the program comes to in each of them on each processor, "
     "as\n"
     "Sinha and Kale project it: time, tasks, messages, bytes, queues, memory, user events, statistics, of the whole\n"
     "program or of an entry method or chare: user@Jacobi::compute. --list names all. A formula computes with them:\n"
     "\"bytes_sent / tasks\", \"[user@Jacobi::compute] / user\". Values are exact, from every event: of additive\n"
     "attributes all stages and processors add up to what info says.",
     1, 1, true, projectOptions, runProject},
    {"activity-table", "TRACE", "what a processor would have recorded of the paths through its tasks",
     "Lists the task prefixes of one processor, as the tables of Dooley, Arya and Kale do: each ends where a message "
     "is\n"
     "sent or the task ends, and names the prefix that the longest path into its task comes from by processor and\n"
     "index, with the length of that path, and what it was merged with. Following those names walks the path back.",
     1, 1, false, activityTableOptions, runActivityTable},
    {"slack", "TRACE", "how much longer each task could have taken",
     "Lists the tasks by how much longer each could have taken without lengthening the critical path, work or\n"
     "elapsed: the path's own tasks have none.",
     1, 1, false, slackOptions, runSlack},
    {"near-critical", "TRACE", "the next longest paths that share little with the critical one",
     "Lists paths whose length is within 5 % of the critical path's and of which at least a fifth lies on tasks of no\n"
     "path before, the critical path first: what takes over when that is shortened. The next path is the longest one\n"
     "through the task with least slack that is on no path yet. --csv lists the steps.",
     1, 1, false, nearCriticalOptions, runNearCritical},
    {"phases", "[TRACE]", "what repeats along the critical path",
     "Finds the sequence of entry methods along the critical path that covers most of it again and again: the one "
     "with\n"
     "the largest instances x length squared, then the next one in what that leaves. With its root, the shortest\n"
     "sequence that it repeats itself, the time of each instance, and the slow ones among them. --csv lists the\n"
     "instances. --text FILE finds what repeats in any text.",
     0, 1, false, phasesOptions, runPhases},
    {"fold", "TRACE", "the iterations of a run laid over each other, as a trace of its own",
     "Writes a trace in which time is that since the begin of an iteration, and each iteration of each processor is a\n"
     "row: everything that works on traces works on it. Iterations are those of a repeated phase of the critical "
     "path.\n"
     "The axis is as long as the longest iteration that is not slow (median + 3 x spread); slow ones are cut there, "
     "and\n"
     "what others lack is untraced time. Executions that lie in two iterations are cut and count in both; messages\n"
     "from one iteration to another lose their sender. User events, statistics and comm threads are left out.",
     1, 1, false, foldOptions, runFold},
    {"efficiency", "TRACE", "how well the processors were used: load balance, serialization, transfer",
     "Says what part of the time the processors did useful work (in entry methods; of MPI programs outside of MPI), "
     "as\n"
     "the POP project has it: parallel efficiency = load balance x communication, and communication = serialization x\n"
     "transfer. Load balance is the average useful time over the longest; serialization compares that with the time "
     "on\n"
     "an ideal network, the work path at edges order; transfer is what messages under way cost.\n\n"
     "--by-phase cuts an MPI run where all ranks meet and no message is under way, and other runs into equal parts.",
     1, 1, false, efficiencyOptions, runEfficiency},
    {"parallelism", "TRACE", "tasks that much concurrent work waits for and that began late",
     "Lists the tasks with most of work that cannot begin without them (dominated) times how much later they began\n"
     "than the work before them had to let them (delay), with the longest chain of that work (span) and how much of\n"
     "it could run at once (exposed). Their delay went into queues, the network, overhead, and a late start of their\n"
     "chain of messages; the steps lead to them.",
     1, 1, false, parallelismOptions, runParallelism},
    {"graph", "TRACE", "the activity graph itself, up to 500 tasks, as a picture or for Graphviz",
     "Draws tasks as boxes, a lane for each processor, in order of time, with what each depends on: messages, the "
     "order\n"
     "on its processor, recorded merges, and inferred ones dashed; the work path has a colour of its own. Where there\n"
     "are more tasks than are drawn the path goes first, and the picture says how many are missing.",
     1, 1, true, graphOptions, runGraph},
    {"reduce", "TRACE", "the original logs of some processors, or of a part of the run, as a smaller trace",
     "Writes a Projections trace that Projections and Longpole open: the logs of the processors on the critical path\n"
     "or of those that --pes names, of the whole run or of --range, which goes with both. Without a range the logs "
     "are\n"
     "copied as they are. In a range, what is open at its begin begins there and what is open at its end ends there;\n"
     "its ends move outward to whole microseconds, and the clock stays the original's. Binary logs become text.\n"
     "With a range the path is that of the range. --with-path replaces a path that Charm++ recorded itself.\n"
     "The original logs are read where they were imported from and never changed. DIR must have no trace of this name.",
     1, 1, false, reduceOptions, runReduce},
    {"zeroing", "TRACE", "how much shorter the critical path would be if entry methods cost nothing, or a factor",
     "Finds, exactly, the longest path if an entry method's own time were taken away (logical zeroing) or multiplied\n"
     "with --factor, what that gains at most, and which entry method then has most of the path. Several at once can\n"
     "gain more than the sum of each alone: repeat --entry. elapsed repeats the run with its latencies, queues and "
     "the\n"
     "order on each processor as they were.",
     1, 1, false, zeroingOptions, runZeroing},
    {"compare", "A B", "what changed from one run to another",
     "Compares two traces: duration, critical paths, usage, messages, entry methods by change of their time, what "
     "entered\n"
     "and left the elapsed critical path, and how long critical tasks waited. Where the critical paths of both repeat "
     "the\n"
     "same sequence six times, iterations are compared by median and spread (median absolute deviation), else the "
     "tenths\n"
     "of both runs. Entry methods are the same when chare and name are. Different programs or numbers of processors "
     "are\n"
     "said first; sums over processors are then compared as means of one. What the expert advises on A is held "
     "against\n"
     "what B gained. --csv lists every value of both.",
     2, 2, false, compareOptions, runCompare},
    {"check", "RUN --baseline BASE", "fail when a run is worse than a baseline by more than a limit, for CI",
     "Ends with 1 when a limit is crossed, 0 when all are kept, and 3 when one that was asked for cannot be judged, or "
     "a\n"
     "trace is not whole (logs missing or cut). A LIMIT is +3% or 3%: at most that much more than the baseline; -5%: "
     "at\n"
     "least that much less; +10ms or +100 (messages, bytes): at most so much more; 200ms or 5000, without a sign: at "
     "most\n"
     "that, whatever the baseline. Figures are exact integers or quotients of them, and so is the comparison: what is "
     "just\n"
     "at the limit keeps it. Any part of a baseline of zero is zero. Without any limit: --max-duration +5%\n"
     "--max-critical-path +5%.",
     1, 1, false, checkOptions, runCheck},
    {"replay", "TRACE", "what another queue, priorities, network or balance would make of the run",
     "Runs the recorded tasks and messages again on processors whose queues start one task after another, and says\n"
     "how long that takes: as it was (the replay's error), and with what was asked changed. When messages arrived is\n"
     "not in today's logs: the prediction is an interval over what the order of the record leaves open, widened by\n"
     "a tenth of the gain where arrivals are estimates, and by the error. A message that several tasks brought about\n"
     "leaves with the last of them, whichever that is. Tasks without a known cause keep their times: where those\n"
     "decide the end of the run, nothing is predicted, and the reason given.",
     1, 1, false, replayOptions, runReplay},
    {"advise", "TRACE", "which entry methods should run first, and what a replay says that it gains",
     "Looks at what the tasks of the critical path (work path, edges merges) waited for in their queues, as Sinha and "
     "Kale\n"
     "do. Priorities help only if critical tasks come after idle periods, and if some waited while others were "
     "started.\n"
     "If so, the recorded tasks and messages are replayed with the most promising entry methods first, and, where the\n"
     "same code runs critical and other work, with the objects or iterations that tell them apart. Advice is given "
     "only\n"
     "where the whole interval that the trace leaves open gains. Waits for the rest of a task that ran already are no\n"
     "matter of priority: then the advice is to split it.\n\n"
     "Entry methods of the path are good (mostly critical), mixed, or run once. --priorities writes a file that a "
     "program\n"
     "can read: entry methods with priority -5, all others 0. --csv lists the advice.",
     1, 1, false, adviseOptions, runAdvise},
    {"tree", "[TRACE]", "the decision tree: when, where and why the run lost time, and what to change first",
     "Goes down the decision tree of Sinha and Kale: when the run did badly, on which processors, in which kind of "
     "time,\n"
     "then the causes A to J: degree of parallelism, grain size, shared variables, load balance, locality, scheduling "
     "of\n"
     "the critical path, latency, synchronization, speculative work, serial chain, bottleneck. Each says what it "
     "measured\n"
     "against which threshold, what it cost, where to see it, and what to do; what cannot be judged says what is "
     "missing.\n"
     "A branch that lost little is not followed.\n\n"
     "Every nanosecond of idle time has one cause: the last task was done (end), a reduction or barrier ended it\n"
     "(synchronization), the message was under way (latency) or there (scheduling), or it was not sent yet, while "
     "tasks\n"
     "waited on another processor (imbalance) or nowhere (parallelism). JSON has them by entry method, too.\n\n"
     "The thresholds lie in one commented file: --default-thresholds writes it, --thresholds reads an edited copy. A "
     "key\n"
     "that is not known is an error that names its line.",
     0, 1, false, treeOptions, runTree},
    {"waits", "TRACE", "MPI programs: what ranks waited for, whom, in which code, and who caused it",
     "Lists Scalasca's wait states with their times and the longest of each: where it was, the rank and the call that "
     "was\n"
     "waited for, and the code in which that rank was. Waits that begin between --from and --until count, whole. "
     "Wrong\n"
     "order is a part of late sender. --csv has a row per wait that is shown.\n\n"
     "--causes puts each wait down to code, as Boehme et al. do: what the other rank did more than the one that "
     "waited\n"
     "since both last met, and what it waited itself meanwhile, which is put down in turn (\"by way of others\"). The "
     "sum\n"
     "of all causes and what has none is the time waited, exactly.\n\n"
     "--imbalance shows the ratios of Korkhov et al. of collective calls: wait / (execution + time outside MPI) as "
     "their\n"
     "text defines it, and wait / execution, as their table prints it. Calls that some left before all had come are "
     "left\n"
     "out.",
     1, 1, false, waitsOptions, runWaits},
    {"report", "TRACE", "the expert report as a file",
     "Writes what the analyses found, the expert's ranked advice first: each with its bound, evidence, picture and "
     "SQL.\n"
     "Then the run, its health, utilization, the entry methods that cost most, the critical path, what repeats, the\n"
     "decision tree, and what could not be evaluated. An .html report is one self-contained file.",
     1, 1, true, reportOptions, runReport},
    {"render", "TRACE", "the timeline as a picture", "Draws the timeline into a file, without a display.", 1, 1, true,
     renderOptions, runRender},
    {"sql", "TRACE \"SELECT ...\"", "read-only SQL over the trace",
     "Runs one SQL statement that only reads. Tables: processor, entry, task, message, idle, interval, counter,\n"
     "mark, mpi_call, profile, issue, meta and more; ask sqlite_master and pragma_table_info('task').",
     2, 2, false, sqlOptions, runSql},
    {"cache", "[list|clear]", "list or clear the imported traces",
     "Lists the imported traces with size, source and age, or removes them all. They lie in\n"
     "$XDG_CACHE_HOME/longpole, 20 GB at most; the ones not used for longest go first.",
     0, 1, false, cacheOptions, runCache},
    {"record", "COMMAND ...", "run an MPI program and record its calls",
     "Runs a command that starts an MPI program, records every MPI call of all its ranks into a folder, and imports\n"
     "that into the cache. The program stays as it is: the recorder's library is loaded before it. Which MPI it uses "
     "is\n"
     "found by itself: Open MPI or MPICH, from C, C++ and Fortran.\n\n"
     "    longpole record -o run.lprec -- mpirun -np 4 ./app --its-options\n\n"
     "The exit code is the program's. 2 and 3 without a word of the program come from this command: nothing was run.\n"
     "What a program recorded before it was killed is there, and opens. Launchers that are neither Open MPI's nor\n"
     "MPICH's (srun) get the library by the environment.",
     1, anyNumber, false, recordOptions, runRecord},
    {"open",
     "TRACE",
     "open the desktop program",
     "Starts longpole-gui on the trace. 'longpole TRACE' does the same.",
     1,
     1,
     false,
     {},
     runOpen},
};

}  // namespace

std::span<const Command> commands() { return list; }

const Command* findCommand(const QString& name)
{
    const auto found = std::find_if(std::begin(list), std::end(list),
                                    [&](const Command& command) { return name == QLatin1String(command.name); });
    return found == std::end(list) ? nullptr : found;
}

}  // namespace longpole
