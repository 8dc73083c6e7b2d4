// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic of the summary, without MPI.
#include "recorder/storage/ratios.h"

#include <inttypes.h>

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t positive(int64_t a) { return a > 0 ? a : 0; }

struct lp_parts lp_collective_parts(int64_t start, int64_t end, int64_t latest_start, int64_t earliest_end)
{
    const struct lp_parts parts = {latest_start - start, earliest_end - latest_start, end - earliest_end};
    return parts;
}

struct lp_parts lp_receive_parts(int64_t start, int64_t end, int64_t send_start)
{
    const int64_t before = positive(smaller(send_start, end) - start);
    const struct lp_parts parts = {before, end - start - before, 0};
    return parts;
}

struct lp_parts lp_send_parts(int64_t start, int64_t end, int64_t posted)
{
    const int64_t before = posted < end ? positive(posted - start) : 0;  // at or after the end: it did not wait for it
    const struct lp_parts parts = {before, end - start - before, 0};
    return parts;
}

bool lp_imbalance(int64_t wait, int64_t execution, double *ratio)
{
    if (execution <= 0) return false;
    *ratio = (double)wait / (double)execution;
    return true;
}

void lp_add_call(struct lp_statistics *rank, struct lp_parts parts)
{
    ++rank->calls;
    if (parts.execution < 0) {
        ++rank->unsynchronized;
        return;
    }
    rank->execution += parts.execution;
    rank->wait += parts.before + parts.after;
}

struct lp_statistics lp_total(const struct lp_statistics *ranks, int count)
{
    struct lp_statistics total = {0};
    for (int i = 0; i < count; ++i) {
        const struct lp_statistics *rank = &ranks[i];
        if (i == 0 || rank->program_time + rank->graph_time > total.program_time + total.graph_time) {
            total.program_time = rank->program_time;
            total.graph_time = rank->graph_time;
        }
        total.execution += rank->execution;
        total.wait += rank->wait;
        total.program_edges += rank->program_edges;
        total.calls += rank->calls;
        total.nodes += rank->nodes;
        total.edges += rank->edges;
        total.unsynchronized += rank->unsynchronized;
    }
    return total;
}

// Seconds with all nanoseconds, exactly.
static const char *seconds(int64_t time, char text[32])
{
    const uint64_t size = time < 0 ? 0u - (uint64_t)time : (uint64_t)time;
    snprintf(text, 32, "%s%" PRIu64 ".%09" PRIu64, time < 0 ? "-" : "", size / 1000000000u, size % 1000000000u);
    return text;
}

static const char *imbalance(int64_t wait, int64_t execution, char text[32])
{
    double ratio = 0;
    if (lp_imbalance(wait, execution, &ratio)) snprintf(text, 32, "%.9f", ratio);
    else snprintf(text, 32, "-");
    return text;
}

static void print_total(FILE *to, const struct lp_statistics *total)
{
    char text[32];
    fprintf(to, "Total statistics:\n");
    fprintf(to, "program_time=%s\n", seconds(total->program_time, text));
    fprintf(to, "graph_time=%s\n", seconds(total->graph_time, text));
    fprintf(to, "total_time=%s\n", seconds(total->program_time + total->graph_time, text));
    fprintf(to, "total_execution_time=%s\n", seconds(total->execution, text));
    fprintf(to, "total_wait_time=%s\n", seconds(total->wait, text));
    fprintf(to, "imbalance=%s\n", imbalance(total->wait, total->execution, text));
    fprintf(to, "imbalance_program=%s\n", imbalance(total->wait, total->execution + total->program_edges, text));
    fprintf(to, "num_calls=%" PRId64 "\nnum_nodes=%" PRId64 "\nnum_edges=%" PRId64 "\n", total->calls, total->nodes,
            total->edges);
    if (total->unsynchronized > 0)
        fprintf(to, "num_calls_without_synchronization=%" PRId64 "\n", total->unsynchronized);
}

void lp_print_statistics(FILE *to, const struct lp_statistics *ranks, int count)
{
    char a[32], b[32], c[32], d[32];
    fprintf(to, "Per-process statistics:\n%-6s %16s %16s %16s %20s\n", "rank", "program_time", "graph_time",
            "total_time", "total_execution_time");
    for (int i = 0; i < count; ++i)
        fprintf(to, "%-6d %16s %16s %16s %20s\n", i, seconds(ranks[i].program_time, a), seconds(ranks[i].graph_time, b),
                seconds(ranks[i].program_time + ranks[i].graph_time, c), seconds(ranks[i].execution, d));
    fprintf(to, "%-6s %16s %16s %10s %10s %10s\n", "rank", "total_wait_time", "imbalance", "num_calls", "num_nodes",
            "num_edges");
    for (int i = 0; i < count; ++i)
        fprintf(to, "%-6d %16s %16s %10" PRId64 " %10" PRId64 " %10" PRId64 "\n", i, seconds(ranks[i].wait, a),
                imbalance(ranks[i].wait, ranks[i].execution, b), ranks[i].calls, ranks[i].nodes, ranks[i].edges);
    const struct lp_statistics total = lp_total(ranks, count);
    print_total(to, &total);
}
