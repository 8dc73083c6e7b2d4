// SPDX-License-Identifier: GPL-3.0-or-later
// What transport.c, compiled against an MPI, gives the program: C only, and nothing of MPI's, whose types differ.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#define LP_TRANSPORT_VERSION 1

struct lp_transport {
    int version;      // LP_TRANSPORT_VERSION
    const char* mpi;  // "openmpi", "mpich", or what else it was compiled against

    // NOLINTBEGIN(modernize-redundant-void-arg): C reads this, too
    // All return 0, or MPI's error code. To be called by the thread that called start().
    int (*start)(int* argc, char*** argv, int* process, int* processes);
    int (*finish)(void);               // all processes call it
    void (*stop)(int code);            // ends all processes
    const char* (*description)(void);  // of the library that runs, in a line
    // NOLINTEND(modernize-redundant-void-arg)

    // Starts to send. `bytes` stays the caller's and as it is until finished() gives the ticket.
    int (*post)(int to, int tag, const void* bytes, int length, int tracked, unsigned long long ticket);
    // Tickets of what has been sent; for tracked ones: of what the receiver has begun to take. At most `most` at once.
    int (*finished)(unsigned long long* tickets, int most, int* count);
    // Whether a message with that tag has come. Then take() must follow, with room for `length` bytes.
    int (*probe)(int tag, int* come, int* from, int* length);
    int (*take)(void* into, int length);
};

// The one name that the library shows.
const struct lp_transport* longpole_transport(void);

#ifdef __cplusplus
}
#endif
