// SPDX-License-Identifier: GPL-3.0-or-later
// Longpole's transport over the MPI that compiles it: mpicc -shared -fPIC -O2 -o liblongpole-transport.so transport.c
// Needs nothing but mpi.h (MPI 3.0). "longpole-mpi --transport-source" prints this file.
#include <mpi.h>

#include <stdlib.h>

#define LP_TRANSPORT_VERSION 1

// The same as in transportlibrary.h.
struct lp_transport {
    int version;
    const char* mpi;
    int (*start)(int* argc, char*** argv, int* process, int* processes);
    int (*finish)(void);
    void (*stop)(int code);
    const char* (*description)(void);
    int (*post)(int to, int tag, const void* bytes, int length, int tracked, unsigned long long ticket);
    int (*finished)(unsigned long long* tickets, int most, int* count);
    int (*probe)(int tag, int* come, int* from, int* length);
    int (*take)(void* into, int length);
};

#if defined(OPEN_MPI)
#define LP_MPI "openmpi"
#elif defined(MPICH_NAME) || defined(MPICH_VERSION)
#define LP_MPI "mpich"
#else
#define LP_MPI "mpi"
#endif

// NOLINTBEGIN(cppcoreguidelines-interfaces-global-init): Open MPI's constants are addresses
static MPI_Comm comm = MPI_COMM_NULL;  // ours alone: nobody else's messages come here
static int owns_mpi;
static MPI_Message found = MPI_MESSAGE_NULL;
// NOLINTEND(cppcoreguidelines-interfaces-global-init)

// Requests under way, without gaps, and the tickets they were given.
static MPI_Request* requests;
static unsigned long long* tickets_of;
static int* indices;
static int under_way;
static int room;

static int start(int* argc, char*** argv, int* process, int* processes)
{
    int is_initialized = 0, error = MPI_Initialized(&is_initialized);
    if (!error && !is_initialized) {
        int provided;
        error = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
        owns_mpi = 1;
        if (!error && provided < MPI_THREAD_FUNNELED) error = MPI_ERR_OTHER;
    }
    if (!error) error = MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (!error) error = MPI_Comm_rank(comm, process);
    if (!error) error = MPI_Comm_size(comm, processes);
    return error;
}

static int finish(void)
{
    int error = 0;
    if (comm != MPI_COMM_NULL) error = MPI_Comm_free(&comm);
    if (!error && owns_mpi) error = MPI_Finalize();
    return error;
}

static void stop(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

static const char* description(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    int length = 0;
    if (MPI_Get_library_version(text, &length)) return LP_MPI;
    for (int i = 0; i < length && text[i] != 0; ++i) {
        if (text[i] == '\t') text[i] = ' ';
        if (text[i] == '\n') text[i] = 0;
    }
    return text;
}

static int make_room(void)
{
    if (under_way < room) return 0;
    const int wanted = room ? 2 * room : 64;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): of Open MPI a request is a pointer
    MPI_Request* more = realloc(requests, (size_t)wanted * sizeof *more);
    if (more) requests = more;
    unsigned long long* of = realloc(tickets_of, (size_t)wanted * sizeof *of);
    if (of) tickets_of = of;
    int* at = realloc(indices, (size_t)wanted * sizeof *at);
    if (at) indices = at;
    if (!more || !of || !at) return MPI_ERR_NO_MEM;
    room = wanted;
    return 0;
}

static int post(int to, int tag, const void* bytes, int length, int tracked, unsigned long long ticket)
{
    int error = make_room();
    if (error) return error;
    error = tracked ? MPI_Issend(bytes, length, MPI_BYTE, to, tag, comm, &requests[under_way])
                    : MPI_Isend(bytes, length, MPI_BYTE, to, tag, comm, &requests[under_way]);
    if (!error) tickets_of[under_way++] = ticket;
    return error;
}

static int finished(unsigned long long* tickets, int most, int* count)
{
    *count = 0;
    if (!under_way) return 0;
    int done = 0;
    // The oldest only, so that what is told fits: what was not asked for now is asked for next time.
    const int asked = under_way < most ? under_way : most;
    const int error = MPI_Testsome(asked, requests, &done, indices, MPI_STATUSES_IGNORE);
    if (error || done == MPI_UNDEFINED) return error;
    for (int i = 0; i < done; ++i) tickets[i] = tickets_of[indices[i]];
    int kept = 0;
    for (int i = 0; i < under_way; ++i) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        requests[kept] = requests[i];
        tickets_of[kept++] = tickets_of[i];
    }
    under_way = kept;
    *count = done;
    return 0;
}

static int probe(int tag, int* come, int* from, int* length)
{
    MPI_Status status;
    int error = MPI_Improbe(MPI_ANY_SOURCE, tag, comm, come, &found, &status);
    if (error || !*come) return error;
    *from = status.MPI_SOURCE;
    return MPI_Get_count(&status, MPI_BYTE, length);
}

static int take(void* into, int length) { return MPI_Mrecv(into, length, MPI_BYTE, &found, MPI_STATUS_IGNORE); }

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct lp_transport*
longpole_transport(void)
{
    static const struct lp_transport functions = {LP_TRANSPORT_VERSION, LP_MPI, start,    finish, stop,
                                                  description,          post,   finished, probe,  take};
    return &functions;
}
