// SPDX-License-Identifier: GPL-3.0-or-later
// The recording's files: run.lprec/rank-000003.lprank for each rank and run.lprec/index.lpindex. Also for the importer.
//
// A file is a header page (struct lp_header) and, from LP_FIRST_FRAME on, frames: 64 bytes of struct lp_frame, `length`
// bytes, and zeros up to a multiple of 64. Little-endian; nothing points anywhere, every frame can be read alone. The
// header page and the areas are mapped; all other frames are written once. What a reader has to know:
//  - A frame is valid from the moment its header is there: where no magic is, the file ends.
//  - LP_AREA is where a thread's records are put: struct lp_area (chunkrecords.h), then records as they lie in memory,
//    `used` bytes of them valid. When it is full it becomes an LP_CHUNK of the same thread and seq, and the area goes
//    on with the next seq: an area that has a chunk's thread and seq is that chunk, its records do not count twice. A
//    kill at any time therefore loses no more than the record that was being put.
//  - At the end of a run, areas become chunks, frames from the end of the file move into their place (after a kill in
//    the middle of this a frame may be there twice), the file is cut, and header.end_kind says how the run ended.
//  - A frame whose checksum is wrong is damaged: continue with the next offset (in steps of 64) that has a magic.
//  - A thread's records are in time order over its chunks by seq.
// Numbers of communicators, regions and functions are the rank's own; frames that give them come before their first use
// in time, in any place of the file.
#ifndef LONGPOLE_RECORDER_FORMAT_H
#define LONGPOLE_RECORDER_FORMAT_H

#include <stdint.h>

#define LP_RANK_MAGIC "LPRANK\r\n"  // header.magic, 8 bytes without the 0
#define LP_INDEX_MAGIC "LPINDX\r\n"
#define LP_ENDIAN_MARK 0x01020304u  // as the writer has it in memory
#define LP_FORMAT_VERSION \
    5u  // grows when an older reader would read wrongly; 2: stacks, 3: loops, 4: bytes of collectives, 5: the machine
#define LP_FRAME_MAGIC 0x314d524645504f4cull  // "LOPEFRM1"
#define LP_FIRST_FRAME 4096u
#define LP_ALIGNMENT 64u               // so that no frame's header lies on two pages
#define LP_LARGEST_BUFFER (64u << 20)  // of an area

// How a clock differed from rank 0's: aligned time = local + offset, within `error` ns. Between two points the offset
// is interpolated, outside of them the nearer one's holds.
enum lp_clock_method { LP_CLOCK_UNKNOWN, LP_CLOCK_SAME_HOST, LP_CLOCK_RTT, LP_CLOCK_BARRIER, LP_CLOCK_NONE };
struct lp_clock_point {
    int64_t local, offset, error;
    uint32_t method;  // LP_CLOCK_UNKNOWN: no measurement
    uint32_t reserved;
};

enum lp_end_kind {
    LP_RUNNING,  // never closed: killed
    LP_FINALIZED,
    LP_ABORTED,  // MPI_Abort
    LP_EXITED    // exit() or return without MPI_Finalize
};

// Only the path was followed while the program ran (online.jsonl): between its first and its last call nothing is here.
#define LP_WITHOUT_TRACE 1u
// `without_core` is known.
#define LP_KNOWS_WAITS_FOR_CORES 2u

// Texts are UTF-8 as the system gives them, cut if too long, 0-terminated.
struct lp_header {
    char magic[8];
    uint32_t endian, version;
    uint64_t run;                    // the same in all files of a run, if MPI could agree on it; 0: unknown
    int32_t rank, size;              // size: of its MPI_COMM_WORLD
    uint32_t pid, thread_level;      // MPI_THREAD_..., 0 .. 3
    uint32_t end_kind;               // enum lp_end_kind
    uint32_t stopped_errno;          // recording stopped early: ENOSPC ...
    int64_t stopped_at;              // when
    uint32_t clock_id, compression;  // CLOCK_...; enum lp_compression
    int64_t threshold;               // ns; 0: none
    int64_t start, start_wall;       // lp_now() and ns since 1970 when the file was opened
    int64_t end;                     // when it was closed; 0: was not
    struct lp_clock_point clock[2];  // at MPI_Init and at MPI_Finalize
    uint64_t records, calls;         // at the end
    uint64_t lost;                   // records that came after recording had stopped
    uint64_t polls;                  // lp_polls_record's
    uint64_t used_calls[8];          // bit c % 64 of word c / 64: call c occurs
    uint32_t threads, stack_depth;   // stack_depth: the most return addresses of a call's stack, 0: no stacks
    uint64_t flags;                  // LP_WITHOUT_TRACE, LP_KNOWS_WAITS_FOR_CORES
    int64_t cpu;                     // the process's CPU time from start to end, ns; 0: unknown
    uint32_t cores, own_cores;       // cores of the host, and those that the process may run on; 0: unknown
    uint64_t own_core[4];            // bit c % 64 of word c / 64: core c is one of these; of the first 256 cores
    int32_t first_rank;              // of its MPI_COMM_WORLD: not 0 in programs that others started (MPI_Comm_spawn)
    uint32_t reserved;
    char host[72], boot_id[40];
    char library[256];        // MPI_Get_library_version
    char program[512];        // path
    char command_line[2048];  // arguments separated by spaces
    // How often the kernel took a core away from the process's threads although they could have run on, and how often
    // they gave theirs up, from start to end; both 0: unknown.
    uint64_t taken_away, given_up;
    uint64_t without_core;  // ns in which the rank's own thread could have run and had no core
};

enum lp_frame_kind {
    LP_AREA = 1,
    LP_CHUNK,       // of one thread: coding says how
    LP_COMM,        // struct lp_comm, members (int32 each) unless they are a sequence, name
    LP_REGION,      // number (uint32), name
    LP_FUNCTIONS,   // struct lp_known_function and name, each padded to 8, again and again: regions that are functions,
                    // without a name when they are first met, with one at the end
    LP_MODULES,     // struct lp_module, path and build id, each padded to 8, again and again
    LP_THREAD,      // struct lp_thread_start
    LP_PADDING,     // nothing
    LP_RANKS,       // in the index: struct lp_index_rank of each rank
    LP_STACKS,      // struct lp_stack_head and its return addresses (uint64), again and again
    LP_NEIGHBOURS,  // struct lp_neighbours_head and world ranks (int32; -1: nobody): sources, then targets
    LP_PLACES  // struct lp_place_head, name and file, each padded to 8, again and again: addresses that are no code
};
enum lp_coding { LP_CODING_RAW, LP_CODING_COLUMNS, LP_CODING_ZSTD };  // ZSTD: one zstd frame of the columns
enum lp_compression { LP_COMPRESSION_OFF, LP_COMPRESSION_MIN, LP_COMPRESSION_MAX };

struct lp_frame {
    uint64_t magic;
    uint32_t kind, reserved;
    uint64_t length;  // of what follows
    uint32_t thread, seq;
    uint32_t coding;      // enum lp_coding; 0 except for chunks
    uint32_t records;     // in a chunk
    uint64_t raw_length;  // of a chunk: bytes of its records as they lie in an area
    uint64_t reserved2;
    uint64_t checksum;  // lp_checksum of this header with checksum 0, then of what follows. Areas and padding: only of
                        // the header, with thread and seq 0
};

// Payloads of the small frames.
struct lp_comm {
    uint32_t comm, serial;
    int32_t origin, size;
    int32_t first, stride;  // members are first, first + stride ...; stride 0: they are listed
    uint32_t name_length, reserved;
};
struct lp_neighbours_head {  // of this rank in a communicator with a topology
    uint32_t comm;
    int32_t sources, targets, reserved;
};
struct lp_known_function {  // then the name, as in the symbol table
    uint32_t region, name_length;
    uint64_t address;
};
struct lp_module {  // code in [begin, end) of this process is of a file; base + symbol = address
    uint64_t base, begin, end;
    uint32_t path_length, build_id_length;
};
struct lp_stack_head {  // a call stack, numbered from 1: return addresses, that of the MPI call first
    uint32_t stack, count;
};
// A line of an interpreted program, which stands in stacks in the place of the interpreter.
#define LP_FIRST_PLACE 0x8000000000000000ull  // no process has code there
struct lp_place_head {
    uint64_t address;
    uint32_t line, name_length, file_length, reserved;
};
struct lp_thread_start {
    uint32_t thread, tid;
    int64_t time;
    char name[16];
};
struct lp_index_rank {
    int32_t rank;
    uint32_t pid, threads, reserved;
    uint64_t records, calls, bytes;  // bytes: of the rank's file
    struct lp_clock_point clock[2];
    char host[72], boot_id[40];
};

// 64 bits over any bytes, by words. Continue with the result as `seed`.
static inline uint64_t lp_checksum(const void *bytes, uint64_t length, uint64_t seed)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t sum = seed ^ (length * 0x9e3779b97f4a7c15ull);
    for (; length >= 8; p += 8, length -= 8) {
        uint64_t word = 0;
        __builtin_memcpy(&word, p, 8);
        sum = (sum ^ word) * 0xff51afd7ed558ccdull;
        sum ^= sum >> 32;
    }
    uint64_t rest = 0;
    if (length > 0) __builtin_memcpy(&rest, p, length);
    sum = (sum ^ rest) * 0xc4ceb9fe1a85ec53ull;
    return sum ^ (sum >> 29);
}

// What the checksum of a frame begins with, and for areas and padding is.
static inline uint64_t lp_head_checksum(struct lp_frame frame)
{
    frame.checksum = 0;
    if (frame.kind == LP_AREA || frame.kind == LP_PADDING) frame.thread = frame.seq = 0;
    return lp_checksum(&frame, sizeof frame, 0);
}

// A chunk, with the padding behind it, has a byte for so many bytes of its records.
enum { LP_MOST_PACKED = 32 };

// Offset from one frame to the next.
static inline uint64_t lp_frame_size(uint64_t length)
{
    return sizeof(struct lp_frame) + ((length + LP_ALIGNMENT - 1) & ~(uint64_t)(LP_ALIGNMENT - 1));
}

#ifdef __cplusplus
#define LP_STATIC_ASSERT static_assert
#else
#define LP_STATIC_ASSERT _Static_assert
#endif
LP_STATIC_ASSERT(sizeof(struct lp_header) <= LP_FIRST_FRAME, "the header fits its page");
LP_STATIC_ASSERT(sizeof(struct lp_frame) == 64, "as on disk");
LP_STATIC_ASSERT(sizeof(struct lp_comm) == 32 && sizeof(struct lp_index_rank) == 216, "as on disk");
LP_STATIC_ASSERT(sizeof(struct lp_module) == 32 && sizeof(struct lp_stack_head) == 8, "as on disk");
LP_STATIC_ASSERT(sizeof(struct lp_place_head) == 24, "as on disk");

#endif
