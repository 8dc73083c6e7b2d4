// SPDX-License-Identifier: GPL-3.0-or-later
// What point-to-point calls waited for: pairs of ranks tell each other when sends began and receives were posted, and
// match them in order of posting for each communicator and tag.
#include "recorder/storage/ratios.h"
#include "recorder/storage/waits.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8192, TAG = 13 };
static const size_t nowhere = (size_t)-1;

// A send or a receive. `start`: the begin of the call that starts the send or posts the receive.
struct message {
    int32_t peer, origin;  // origin and serial are the id of the communicator
    uint32_t serial;
    int32_t tag;
    int64_t start;
    size_t order;       // of posting, on this rank
    size_t completion;  // offset of the call that completed it, or nowhere
    size_t posting;     // offset of the call that started it
};

// What the sender tells the receiver of a message.
struct told {
    int32_t origin;
    uint32_t serial;
    int32_t tag, unused;
    int64_t start;
};

struct messages {
    struct message *all;
    size_t count, room;
    size_t *of_request;  // by request: the index of its message, + 1; 0: none
    uint32_t requests;
};

struct both {
    struct messages sends, receives;
};

static bool make_room(struct both *both)
{
    uint32_t largest = 0;
    size_t calls = 0;
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at))) {
        struct lp_kept_call *call = lp_kept_at(at);
        if (call->request > largest) largest = call->request;
        const struct lp_kept_completion *done = lp_kept_completions(call);
        for (uint32_t i = 0; i < call->completions; ++i)
            if (done[i].request > largest) largest = done[i].request;
        calls += 1 + call->completions;
    }
    struct messages *each[] = {&both->sends, &both->receives};
    for (int i = 0; i < 2; ++i) {
        each[i]->room = calls;
        each[i]->requests = largest + 1;
        each[i]->all = lp_map_room(calls * sizeof *each[i]->all);
        each[i]->of_request = lp_map_room((size_t)each[i]->requests * sizeof(size_t));
    }
    return both->sends.all && both->receives.all && both->sends.of_request && both->receives.of_request;
}

static void drop_room(struct messages *messages)
{
    lp_unmap_room(messages->all, messages->room * sizeof *messages->all);
    lp_unmap_room(messages->of_request, (size_t)messages->requests * sizeof(size_t));
}

static void set_comm(struct message *message, uint32_t comm)
{
    const struct lp_kept_comm *known = lp_kept_comm_of(comm);
    message->origin = known ? known->origin : -1;
    message->serial = known ? known->serial : comm;
}

static void add(struct messages *to, size_t at, uint32_t comm, int32_t peer, int32_t tag, uint32_t request,
                size_t completion)
{
    struct message *message = &to->all[to->count];
    *message = (struct message){.peer = peer,
                                .tag = tag,
                                .start = lp_kept_at(at)->begin,
                                .order = to->count,
                                .completion = completion,
                                .posting = at};
    set_comm(message, comm);
    ++to->count;
    if (request != LP_NO_REQUEST && request < to->requests) to->of_request[request] = to->count;
}

static struct message *of_request(struct messages *messages, uint32_t request)
{
    const size_t found = request < messages->requests ? messages->of_request[request] : 0;
    return found ? &messages->all[found - 1] : NULL;
}

// Sets what a completed receive turned out to be, also in the row of the call that posted it, which did not know the
// peer yet.
static void receive_completed(struct message *receive, const struct lp_kept_completion *done, size_t at)
{
    struct lp_kept_call *posting = lp_kept_at(receive->posting);
    receive->completion = at;
    receive->peer = done->peer;
    receive->tag = done->tag;
    if (lp_class_of(posting->call) != LP_CLASS_START_RECEIVE) return;
    posting->peer = done->peer;
    posting->tag = done->tag;
}

static void send_completed(struct message *send, struct lp_kept_completion *done, size_t at)
{
    send->completion = at;
    done->peer = send->peer;
    done->tag = send->tag;
}

static void complete(struct both *both, struct lp_kept_completion *done, size_t at)
{
    struct message *send = of_request(&both->sends, done->request);
    struct message *receive = of_request(&both->receives, done->request);
    switch (done->kind) {
    case LP_SEND_STARTED:
    case LP_SSEND_STARTED: add(&both->sends, at, done->comm, done->peer, done->tag, done->request, nowhere); break;
    case LP_RECV_STARTED: add(&both->receives, at, done->comm, done->peer, done->tag, done->request, nowhere); break;
    case LP_SEND_DONE:
        if (send) send_completed(send, done, at);
        break;
    case LP_RECV_DONE:
        if (receive) receive_completed(receive, done, at);
        break;
    case LP_CANCELLED:
        if (send) send->peer = LP_NO_RANK;
        if (receive) receive->peer = LP_NO_RANK;
        break;
    default: break;
    }
}

static void find_messages(struct both *both)
{
    for (size_t at = 0; at < lp_kept_bytes(); at += lp_kept_size(lp_kept_at(at))) {
        struct lp_kept_call *call = lp_kept_at(at);
        switch (lp_class_of(call->call)) {
        case LP_CLASS_SEND: add(&both->sends, at, call->comm, call->peer, call->tag, 0, at); break;
        case LP_CLASS_RECEIVE: add(&both->receives, at, call->comm, call->peer, call->tag, 0, at); break;
        case LP_CLASS_SENDRECEIVE:
            add(&both->sends, at, call->comm, call->peer, call->tag, 0, at);
            add(&both->receives, at, call->comm, call->peer2, call->tag2, 0, at);
            break;
        case LP_CLASS_START_SEND:
            add(&both->sends, at, call->comm, call->peer, call->tag, call->request, nowhere);
            break;
        case LP_CLASS_START_RECEIVE:
            add(&both->receives, at, call->comm, call->peer, call->tag, call->request, nowhere);
            break;
        default: break;
        }
        struct lp_kept_completion *done = lp_kept_completions(call);
        for (uint32_t i = 0; i < call->completions; ++i) complete(both, &done[i], at);
    }
}

static int compare_ids(int32_t origin, uint32_t serial, int32_t tag, const struct message *b)
{
    if (origin != b->origin) return origin < b->origin ? -1 : 1;
    if (serial != b->serial) return serial < b->serial ? -1 : 1;
    return tag < b->tag ? -1 : tag > b->tag;
}

static int by_peer(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->peer != y->peer) return x->peer < y->peer ? -1 : 1;
    const int ids = compare_ids(x->origin, x->serial, x->tag, y);
    return ids ? ids : x->order < y->order ? -1 : x->order > y->order;
}

// Sorts messages by peer; `first` gets where those of each rank begin, and where the last ones end. Peers that are no
// ranks are left out.
static void sort_messages(struct messages *messages, int ranks, size_t *first)
{
    if (messages->count > 0) qsort(messages->all, messages->count, sizeof *messages->all, by_peer);
    size_t i = 0;
    for (int rank = 0; rank <= ranks; ++rank) {
        while (i < messages->count && messages->all[i].peer < rank) ++i;
        first[rank] = i;
    }
}

// Sends a table to one rank in blocks while receiving that of another. Counts are in pieces of `size` bytes.
static void exchange(MPI_Comm world, const void *to_send, size_t sent, int to, void *room, size_t received, int from,
                     size_t size)
{
    for (size_t at = 0; at < sent || at < received; at += BLOCK) {
        const size_t out = at >= sent ? 0 : sent - at < BLOCK ? sent - at : BLOCK;
        const size_t in = at >= received ? 0 : received - at < BLOCK ? received - at : BLOCK;
        PMPI_Sendrecv((const char *)to_send + at * size, (int)(out * size), MPI_BYTE, out ? to : MPI_PROC_NULL, TAG,
                      (char *)room + at * size, (int)(in * size), MPI_BYTE, in ? from : MPI_PROC_NULL, TAG, world,
                      MPI_STATUS_IGNORE);
    }
}

static void received(const struct message *receive, const struct told *sent)
{
    if (receive->completion == nowhere) return;
    struct lp_kept_call *call = lp_kept_at(receive->completion);
    ++call->received;
    if (lp_is_test(call->call)) return;
    const int64_t before = lp_receive_parts(call->begin, call->end, sent->start).before;
    if (before == 0) return;
    if (!(call->flags & LP_KEPT_LATE_SENDER)) call->before = 0;
    call->flags |= LP_KEPT_LATE_SENDER;
    lp_wait_before(call, before);
}

// Matches the n-th send with the n-th receive of each communicator and tag, by which, and then by posting, both tables
// are sorted. Sets when the receive of each send was posted; INT64_MAX if it never was.
static void match(const struct told *sent, size_t sends, const struct message *receives, size_t count, int64_t *posted)
{
    size_t r = 0;
    for (size_t s = 0; s < sends; ++s) {
        int order = 1;
        while (r < count && (order = compare_ids(sent[s].origin, sent[s].serial, sent[s].tag, &receives[r])) > 0) ++r;
        posted[s] = INT64_MAX;
        if (r == count || order != 0) continue;
        posted[s] = receives[r].start;
        received(&receives[r], &sent[s]);
        ++r;
    }
}

static void was_posted(const struct message *send, int64_t posted)
{
    if (send->completion == nowhere || posted == INT64_MAX) return;
    struct lp_kept_call *call = lp_kept_at(send->completion);
    if (lp_is_test(call->call) || (call->flags & LP_KEPT_LATE_SENDER)) return;
    lp_wait_before(call, lp_send_parts(call->begin, call->end, posted).before);
}

struct pair {
    struct told *out, *in;
    int64_t *answers, *posted;
    size_t sends, receives;  // how many sends are ours to `to`, and `from`'s to us
};

static bool make_pair(struct pair *pair)
{
    pair->out = lp_map_room(pair->sends * sizeof *pair->out);
    pair->posted = lp_map_room(pair->sends * sizeof *pair->posted);
    pair->in = lp_map_room(pair->receives * sizeof *pair->in);
    pair->answers = lp_map_room(pair->receives * sizeof *pair->answers);
    return pair->out && pair->posted && pair->in && pair->answers;
}

static void drop_pair(struct pair *pair)
{
    lp_unmap_room(pair->out, pair->sends * sizeof *pair->out);
    lp_unmap_room(pair->posted, pair->sends * sizeof *pair->posted);
    lp_unmap_room(pair->in, pair->receives * sizeof *pair->in);
    lp_unmap_room(pair->answers, pair->receives * sizeof *pair->answers);
}

// Matches our sends to `to` with its receives, and the sends of `from` with our receives.
static void exchange_pair(MPI_Comm world, const struct message *sends, int to, const struct message *receives,
                          size_t receive_count, int from, struct pair *pair)
{
    for (size_t i = 0; i < pair->sends; ++i)
        pair->out[i] = (struct told){sends[i].origin, sends[i].serial, sends[i].tag, 0, sends[i].start};
    exchange(world, pair->out, pair->sends, to, pair->in, pair->receives, from, sizeof *pair->out);
    match(pair->in, pair->receives, receives, receive_count, pair->answers);
    exchange(world, pair->answers, pair->receives, from, pair->posted, pair->sends, to, sizeof *pair->posted);
    for (size_t i = 0; i < pair->sends; ++i) was_posted(&sends[i], pair->posted[i]);
}

// Goes through all pairs of ranks. A call that is found to be late sender after it was found to be late receiver
// becomes a late sender (LP_KEPT_LATE_SENDER).
static bool exchange_all(MPI_Comm world, const struct both *both, const size_t *send_first, const size_t *receive_first)
{
    int ranks = 1, rank = 0;
    PMPI_Comm_size(world, &ranks);
    PMPI_Comm_rank(world, &rank);
    int64_t *out = malloc((size_t)ranks * sizeof *out), *in = malloc((size_t)ranks * sizeof *in);
    bool ok = lp_all_ranks(world, out && in);
    for (int i = 0; ok && i < ranks; ++i) out[i] = (int64_t)(send_first[i + 1] - send_first[i]);
    if (ok) PMPI_Alltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, world);
    for (int shift = 0; ok && shift < ranks; ++shift) {
        const int to = (rank + shift) % ranks, from = (rank + ranks - shift) % ranks;
        struct pair pair = {.sends = (size_t)out[to], .receives = (size_t)in[from]};
        ok = lp_all_ranks(world, make_pair(&pair));
        if (ok)
            exchange_pair(world, both->sends.all + send_first[to], to, both->receives.all + receive_first[from],
                          receive_first[from + 1] - receive_first[from], from, &pair);
        drop_pair(&pair);
    }
    free(out);
    free(in);
    return ok;
}

bool lp_message_waits(MPI_Comm world)
{
    struct both both = {0};
    int ranks = 1, unused = 0;
    PMPI_Comm_size(world, &ranks);
    (void)lp_kept_comms(&unused);
    size_t *first = malloc(2 * ((size_t)ranks + 1) * sizeof *first);
    bool ok = lp_all_ranks(world, make_room(&both) && first);
    if (ok) {
        find_messages(&both);
        sort_messages(&both.sends, ranks, first);
        sort_messages(&both.receives, ranks, first + ranks + 1);
        ok = exchange_all(world, &both, first, first + ranks + 1);
    }
    free(first);
    drop_room(&both.sends);
    drop_room(&both.receives);
    return ok;
}
