// SPDX-License-Identifier: GPL-3.0-or-later
// The names of MPI calls that have dependencies; all others have none.
#include "importers/mpi/callkind.h"

#include <QByteArray>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace longpole {
namespace {

struct NamedKind {
    std::string_view name;  // without MPI_, in lower case
    CollectiveKind kind;
};

// Collectives with a non-blocking form, MPI_I and the name; sorted.
constexpr NamedKind collectives[] = {
    {"allgather", CollectiveKind::NToN},
    {"allgatherv", CollectiveKind::NToN},
    {"allreduce", CollectiveKind::NToN},
    {"alltoall", CollectiveKind::NToN},
    {"alltoallv", CollectiveKind::NToN},
    {"alltoallw", CollectiveKind::NToN},
    {"barrier", CollectiveKind::Barrier},
    {"bcast", CollectiveKind::OneToN},
    {"exscan", CollectiveKind::Prefix},
    {"gather", CollectiveKind::NToOne},
    {"gatherv", CollectiveKind::NToOne},
    {"neighbor_allgather", CollectiveKind::Neighbours},
    {"neighbor_allgatherv", CollectiveKind::Neighbours},
    {"neighbor_alltoall", CollectiveKind::Neighbours},
    {"neighbor_alltoallv", CollectiveKind::Neighbours},
    {"neighbor_alltoallw", CollectiveKind::Neighbours},
    {"reduce", CollectiveKind::NToOne},
    {"reduce_scatter", CollectiveKind::NToN},
    {"reduce_scatter_block", CollectiveKind::NToN},
    {"scan", CollectiveKind::Prefix},
    {"scatter", CollectiveKind::OneToN},
    {"scatterv", CollectiveKind::OneToN},
};

// Collectives without a non-blocking form; sorted.
constexpr NamedKind blockingCollectives[] = {
    {"cart_create", CollectiveKind::Lifetime},
    {"cart_sub", CollectiveKind::Lifetime},
    {"comm_create", CollectiveKind::Lifetime},
    {"comm_create_from_group", CollectiveKind::Lifetime},
    {"comm_create_group", CollectiveKind::Lifetime},
    {"comm_disconnect", CollectiveKind::Loose},
    {"comm_dup", CollectiveKind::Lifetime},
    {"comm_dup_with_info", CollectiveKind::Lifetime},
    {"comm_free", CollectiveKind::Loose},
    {"comm_spawn", CollectiveKind::Lifetime},
    {"comm_spawn_multiple", CollectiveKind::Lifetime},
    {"comm_split", CollectiveKind::Lifetime},
    {"comm_split_type", CollectiveKind::Lifetime},
    {"dist_graph_create", CollectiveKind::Lifetime},
    {"dist_graph_create_adjacent", CollectiveKind::Lifetime},
    {"file_close", CollectiveKind::Loose},
    {"file_open", CollectiveKind::Loose},
    {"file_preallocate", CollectiveKind::Loose},
    {"file_read_all", CollectiveKind::Loose},
    {"file_read_at_all", CollectiveKind::Loose},
    {"file_read_ordered", CollectiveKind::Loose},
    {"file_set_size", CollectiveKind::Loose},
    {"file_set_view", CollectiveKind::Loose},
    {"file_sync", CollectiveKind::Loose},
    {"file_write_all", CollectiveKind::Loose},
    {"file_write_at_all", CollectiveKind::Loose},
    {"file_write_ordered", CollectiveKind::Loose},
    {"finalize", CollectiveKind::Lifetime},
    {"graph_create", CollectiveKind::Lifetime},
    {"init", CollectiveKind::Lifetime},
    {"init_thread", CollectiveKind::Lifetime},
    {"intercomm_create", CollectiveKind::Lifetime},
    {"intercomm_create_from_groups", CollectiveKind::Lifetime},
    {"intercomm_merge", CollectiveKind::Lifetime},
    {"session_finalize", CollectiveKind::Lifetime},
    {"session_init", CollectiveKind::Lifetime},
    {"win_allocate", CollectiveKind::Lifetime},
    {"win_allocate_shared", CollectiveKind::Lifetime},
    {"win_create", CollectiveKind::Lifetime},
    {"win_create_dynamic", CollectiveKind::Lifetime},
    {"win_fence", CollectiveKind::Lifetime},
    {"win_free", CollectiveKind::Lifetime},
};

constexpr std::string_view completionCalls[] = {"test", "testall", "testany", "testsome",
                                                "wait", "waitall", "waitany", "waitsome"};
// Non-blocking calls that are no collectives; sorted.
constexpr std::string_view starts[] = {"ibsend", "imrecv", "irecv", "irsend", "isend", "isendrecv", "isendrecv_replace",
                                       "issend"};

constexpr bool isBefore(const NamedKind& a, const NamedKind& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(collectives), std::end(collectives), isBefore));
static_assert(std::is_sorted(std::begin(blockingCollectives), std::end(blockingCollectives), isBefore));
static_assert(std::is_sorted(std::begin(completionCalls), std::end(completionCalls)));
static_assert(std::is_sorted(std::begin(starts), std::end(starts)));

template <std::size_t size>
CollectiveKind kindOf(const NamedKind (&table)[size], std::string_view name)
{
    const NamedKind* found = std::lower_bound(std::begin(table), std::end(table), NamedKind{name, CollectiveKind::None},
                                              isBefore);
    return found != std::end(table) && found->name == name ? found->kind : CollectiveKind::None;
}

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }

// The name without MPI_, PMPI_, mpi_ or pmpi_; empty if it does not begin so.
QByteArrayView withoutPrefix(QByteArrayView name)
{
    if (!name.isEmpty() && (name.front() == 'P' || name.front() == 'p')) name = name.sliced(1);
    if (name.size() < 5 || !isLetter(name[4])) return {};
    if (name.startsWith("MPI_")) return isUpper(name[4]) ? name.sliced(4) : QByteArrayView();
    return name.startsWith("mpi_") ? name.sliced(4) : QByteArrayView();
}

// "Allreduce", "allreduce_", "allreduce_f08_" and "Allreduce_c" are all "allreduce".
QByteArray plainName(QByteArrayView name)
{
    QByteArray plain = withoutPrefix(name).toByteArray().toLower();
    while (plain.endsWith('_')) plain.chop(1);
    for (const char* suffix : {"_f08ts", "_f08", "_c"}) {
        if (plain.endsWith(suffix)) plain.chop(static_cast<qsizetype>(qstrlen(suffix)));
    }
    return plain;
}

}  // namespace

MpiCallKind mpiCallKind(QByteArrayView name)
{
    const QByteArray plain = plainName(name);
    const std::string_view call(plain.constData(), static_cast<std::size_t>(plain.size()));
    MpiCallKind kind;
    kind.isInit = call == "init" || call == "init_thread" || call == "session_init";
    kind.isFinalize = call == "finalize" || call == "session_finalize";
    kind.isMatchedReceive = call == "mrecv" || call == "imrecv";
    kind.completes = std::binary_search(std::begin(completionCalls), std::end(completionCalls), call);
    kind.collective = kindOf(collectives, call);
    if (kind.collective == CollectiveKind::None) kind.collective = kindOf(blockingCollectives, call);
    if (kind.collective != CollectiveKind::None || call.empty()) return kind;
    if (call == "comm_idup" || call == "comm_idup_with_info")
        return {.collective = CollectiveKind::Lifetime, .isNonBlocking = true};
    if (call.front() == 'i') kind.collective = kindOf(collectives, call.substr(1));
    kind.isNonBlocking = kind.collective != CollectiveKind::None
                         || std::binary_search(std::begin(starts), std::end(starts), call);
    return kind;
}

bool isMpiName(QByteArrayView name) { return !withoutPrefix(name).isEmpty(); }

}  // namespace longpole
