// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/columns.h"

#include <cstddef>

namespace longpole {
namespace {

using enum Coding;

// clang-format off
constexpr ColumnSpec taskColumns[] = {
    {"begin", Delta}, {"duration", Plain}, {"nested", Plain}, {"entry", Plain}, {"outer", Plain}, {"pieces", Plain},
    {"bytes", Plain}, {"message_type", Plain}, {"received", Plain}, {"cpu", Plain}, {"index0", Plain},
    {"index1", Plain}, {"index2", Plain}, {"index3", Plain}, {"index4", Plain}, {"index5", Plain}};
constexpr ColumnSpec taskSourceColumns[] = {
    {"link", Plain}, {"source_pe", Plain}, {"source_index", Delta}, {"offset", Plain}, {"latency", Plain},
    {"message_index", Delta}, {"creator_pe", Plain}};
constexpr ColumnSpec pieceColumns[] = {{"begin", Delta}, {"duration", Plain}, {"task", Delta}};
constexpr ColumnSpec messageColumns[] = {
    {"sent", Delta}, {"task", Delta}, {"offset", Plain}, {"entry", Plain}, {"bytes", Plain}, {"kind", Plain},
    {"destinations", Plain}, {"duration", Plain}, {"event", Delta}, {"message_type", Plain}};
constexpr ColumnSpec messageExecutionsColumns[] = {{"executions", Plain}};
constexpr ColumnSpec idleColumns[] = {{"begin", Delta}, {"duration", Plain}};
constexpr ColumnSpec overheadColumns[] = {{"begin", Delta}, {"duration", Plain}, {"kind", Plain}};
constexpr ColumnSpec intervalColumns[] = {{"begin", Delta}, {"duration", Plain}, {"nested", Plain},
                                          {"depth", Plain}, {"region", Plain}, {"value", Plain}};
constexpr ColumnSpec counterColumns[] = {{"time", Delta}, {"region", Plain}, {"value", Double}, {"user_time", Double}};
constexpr ColumnSpec markColumns[] = {
    {"time", Delta}, {"duration", Plain}, {"region", Plain}, {"value", Plain}, {"text", Plain}};
constexpr ColumnSpec hopColumns[] = {{"time", Delta}, {"kind", Plain}, {"creator_pe", Plain}, {"event", Delta}};
constexpr ColumnSpec latencyColumns[] = {{"source_pe", Delta}, {"least", Plain}, {"messages", Plain}};
constexpr ColumnSpec tileColumns[] = {{"busy", Plain}, {"idle", Plain}, {"tasks", Plain},
                                      {"messages", Plain}, {"entry", Plain}, {"entry_time", Plain},
                                      {"bytes", Plain}, {"pack", Plain}};
constexpr ColumnSpec entryBinColumns[] = {{"bin", Delta}, {"entry", Plain}, {"time", Plain}, {"tasks", Plain}};
constexpr ColumnSpec mpiCallColumns[] = {
    {"begin", Delta}, {"duration", Plain}, {"region", Plain}, {"seq", Delta}, {"comm", Plain}, {"peer", Plain},
    {"tag", Plain}, {"bytes", Plain}, {"wait_before", Plain}, {"execution", Plain}, {"wait_after", Plain},
    {"pattern", Plain}, {"severity", Plain}, {"culprit", Plain}, {"culprit_seq", Delta}, {"instance", Delta},
    {"task", Delta}, {"flags", Plain}, {"path", Plain}, {"sent", Plain}};
constexpr ColumnSpec mergeColumns[] = {{"task", Delta}, {"source_pe", Plain}, {"source_index", Delta},
                                       {"offset", Plain}, {"message_index", Delta}, {"link", Plain}};
constexpr ColumnSpec deliveryColumns[] = {{"time", Delta}, {"task", Delta}, {"creator_pe", Plain},
                                          {"message_index", Delta}, {"source_index", Delta}, {"latency", Plain},
                                          {"bytes", Plain}};
constexpr ColumnSpec threadWaitColumns[] = {{"begin", Delta}, {"duration", Plain}, {"region", Plain}, {"wait", Plain},
                                            {"pattern", Plain}, {"instance", Delta}, {"culprit", Plain}};
// clang-format on

static_assert(std::size(taskColumns) == TaskColumn::Count);
static_assert(std::size(taskSourceColumns) == TaskSourceColumn::Count);
static_assert(std::size(pieceColumns) == PieceColumn::Count);
static_assert(std::size(messageColumns) == MessageColumn::Count);
static_assert(std::size(messageExecutionsColumns) == MessageExecutionsColumn::Count);
static_assert(std::size(idleColumns) == IdleColumn::Count);
static_assert(std::size(overheadColumns) == OverheadColumn::Count);
static_assert(std::size(intervalColumns) == IntervalColumn::Count);
static_assert(std::size(counterColumns) == CounterColumn::Count);
static_assert(std::size(markColumns) == MarkColumn::Count);
static_assert(std::size(hopColumns) == HopColumn::Count);
static_assert(std::size(latencyColumns) == LatencyColumn::Count);
static_assert(std::size(tileColumns) == TileColumn::Count);
static_assert(std::size(entryBinColumns) == EntryBinColumn::Count);
static_assert(std::size(mpiCallColumns) == MpiCallColumn::Count);
static_assert(std::size(mergeColumns) == MergeColumn::Count);
static_assert(std::size(deliveryColumns) == DeliveryColumn::Count);
static_assert(std::size(threadWaitColumns) == ThreadWaitColumn::Count);

constexpr ChunkSpec spec(ChunkKind kind, const char* name, std::span<const ColumnSpec> columns, int time = -1,
                         int duration = -1)
{
    return {kind, name, columns, time, duration};
}

// In the order of ChunkKind, which starts at 1.
constexpr ChunkSpec allChunkSpecs[] = {
    spec(ChunkKind::Task, "task", taskColumns, TaskColumn::Begin, TaskColumn::Duration),
    spec(ChunkKind::TaskSource, "task_source", taskSourceColumns),
    spec(ChunkKind::Piece, "piece", pieceColumns, PieceColumn::Begin, PieceColumn::Duration),
    spec(ChunkKind::Message, "message", messageColumns, MessageColumn::Sent),
    spec(ChunkKind::MessageExecutions, "message_executions", messageExecutionsColumns),
    spec(ChunkKind::Idle, "idle", idleColumns, IdleColumn::Begin, IdleColumn::Duration),
    spec(ChunkKind::Overhead, "overhead", overheadColumns, OverheadColumn::Begin, OverheadColumn::Duration),
    spec(ChunkKind::Interval, "interval", intervalColumns, IntervalColumn::Begin, IntervalColumn::Duration),
    spec(ChunkKind::Counter, "counter", counterColumns, CounterColumn::Time),
    spec(ChunkKind::Mark, "mark", markColumns, MarkColumn::Time, MarkColumn::Duration),
    spec(ChunkKind::Hop, "hop", hopColumns, HopColumn::Time),
    spec(ChunkKind::Latency, "latency", latencyColumns),
    spec(ChunkKind::Tile, "tile", tileColumns),
    spec(ChunkKind::MpiCall, "mpi_call", mpiCallColumns, MpiCallColumn::Begin, MpiCallColumn::Duration),
    spec(ChunkKind::Merge, "merge", mergeColumns),
    spec(ChunkKind::EntryBin, "entry_bin", entryBinColumns),
    spec(ChunkKind::Delivery, "delivery", deliveryColumns, DeliveryColumn::Time),
    spec(ChunkKind::ThreadWait, "thread_wait", threadWaitColumns, ThreadWaitColumn::Begin, ThreadWaitColumn::Duration),
};

}  // namespace

std::span<const ChunkSpec> chunkSpecs() { return allChunkSpecs; }

const ChunkSpec& chunkSpec(ChunkKind kind) { return allChunkSpecs[static_cast<std::size_t>(kind) - 1]; }

}  // namespace longpole
