// SPDX-License-Identifier: GPL-3.0-or-later
// The records of one thread, as they lie in a recording's areas, and as a chunk holds them in columns.
#ifndef LONGPOLE_RECORDER_RECORDS_H
#define LONGPOLE_RECORDER_RECORDS_H

#include "recorder/format/format.h"

// Head of an area, then its records. `open_call`: call id + 1 while the thread is inside a call, else 0.
struct lp_area {
    uint64_t used;  // how many bytes of records are valid
    int64_t open_begin;
    uint32_t open_call, reserved;
    uint64_t padding[5];
};

// Records. The first byte is the type; sizes are multiples of 8.
enum lp_record_type {
    LP_NO_RECORD,
    LP_CALL_RECORD,    // lp_call_record
    LP_CALL2_RECORD,   // lp_call2_record: with a second peer
    LP_JOINED_RECORD,  // lp_call_record that began less than the threshold after the call before
    LP_JOINED2_RECORD,
    LP_ENTER_RECORD,  // lp_region_record
    LP_LEAVE_RECORD,
    LP_POLLS_RECORD,           // lp_polls_record
    LP_OWN_RECORD,             // lp_own_record: the recorder's own work
    LP_SWITCH_RECORD,          // lp_region_record, region 1: recording goes on, 0: pauses (MPI_Pcontrol)
    LP_POLLING_RECORD,         // lp_polling_record: a loop of failed polls
    LP_MACHINE_RECORD,         // lp_machine_record: what the machine gave the thread
    LP_FIRST_COMPLETION = 32,  // + enum lp_completion_kind: lp_completion_record, belongs to the call before
    LP_RECORD_TYPES = 48
};
struct lp_call_record {
    uint8_t type, reserved;
    uint16_t call;
    uint32_t comm;
    int64_t begin, end;
    int32_t peer, tag;
    int64_t bytes;
    uint32_t request, stack;  // stack: its number in LP_STACKS, 0: none
};
struct lp_call2_record {
    struct lp_call_record call;
    int32_t peer2, tag2;
    int64_t bytes2;
};
struct lp_completion_record {
    uint8_t type, reserved[3];
    uint32_t request, comm;
    int32_t peer, tag;
    uint32_t reserved2;
    int64_t bytes;
};
struct lp_region_record {
    uint8_t type, reserved[3];
    uint32_t region;
    int64_t time;
};
struct lp_polls_record {
    uint8_t type, reserved;
    uint16_t call;
    uint32_t reserved2;
    int64_t time, count;
};
struct lp_polling_record {  // its polls count in lp_polls_record, too
    uint8_t type, is_ended;
    uint16_t call;
    uint32_t count;
    int64_t begin, end;
    uint32_t stack, reserved;
};
struct lp_machine_record {  // since the thread's one before, or its start
    uint8_t type, reserved;
    uint16_t core;   // at `time`; 0xffff: unknown
    uint32_t taken;  // times that a core was taken from it although it could have run on
    int64_t time;
    int64_t cpu;      // ns of CPU time
    int64_t without;  // ns in which it could have run and had no core
    uint32_t given;   // times that it gave its core up
    uint32_t reserved2;
};
enum lp_own_work { LP_OWN_FLUSH, LP_OWN_INIT, LP_OWN_FINALIZE };
struct lp_own_record {
    uint8_t type, reserved;
    uint16_t work;  // enum lp_own_work
    uint32_t reserved2;
    int64_t begin, end;
};

// A chunk in columns, before zstd: `records` bytes of types, then each column of enum lp_column: one byte `width`
// (0 .. 8), then `width` planes, plane p holding byte p of each of the column's values. Values are unsigned; d: zigzag
// of the difference to the value before in the same column, z: zigzag of the value, u: as it is. Which records have
// which: columns.c, split(). Time is the record's time or begin less the end of the record before (for the first: the
// time itself), Duration the rest of it. Before version 3 joined calls
// had no Time: they begin where the one before ended.
enum lp_column {
    LP_TIME,      // z
    LP_DURATION,  // z
    LP_CALL_ID,   // u: call id; own work; of polls; core
    LP_COMM_OF,   // u: comm + 1
    LP_PEER,      // u: rank + 1
    LP_TAG,       // z
    LP_BYTES,     // z
    LP_REQUEST,   // 0: none, else 1 + zigzag of the difference to the last request that was started
    LP_PEER2,
    LP_TAG2,
    LP_BYTES2,        // u, z, z
    LP_DONE_REQUEST,  // d, of completions
    LP_DONE_COMM,
    LP_DONE_PEER,
    LP_DONE_TAG,
    LP_DONE_BYTES,     // u, u, z, z: of those that carry them (recording.h)
    LP_REGION_OF,      // u: region; on or off; whether the next call ended the loop
    LP_VALUE,          // d: polls
    LP_STACK_OF,       // u: of calls and loops; missing in version 1
    LP_CORE_TIMES,     // z: of the machine: CPU time, then time without a core; this and the next: since version 5
    LP_CORE_SWITCHES,  // u: taken, then given up
    LP_COLUMNS
};

// Bytes of a record in an area; 0: there is no such type.
static inline uint32_t lp_record_size(unsigned type)
{
    if (type >= LP_FIRST_COMPLETION) return type < LP_RECORD_TYPES ? 32 : 0;
    switch (type) {
    case LP_CALL_RECORD:
    case LP_JOINED_RECORD: return 48;
    case LP_CALL2_RECORD:
    case LP_JOINED2_RECORD: return 64;
    case LP_ENTER_RECORD:
    case LP_LEAVE_RECORD:
    case LP_SWITCH_RECORD: return 16;
    case LP_POLLS_RECORD:
    case LP_OWN_RECORD: return 24;
    case LP_POLLING_RECORD: return 32;
    case LP_MACHINE_RECORD: return 40;
    default: return 0;
    }
}
// Whether a completion has comm, peer, tag and bytes (recording.h): LP_RECV_DONE, LP_COMM_DONE, LP_..._STARTED,
// LP_EPOCH_PEER, LP_FREED_ANY.
static inline int lp_carries_message(unsigned type)
{
    const unsigned kind = type - LP_FIRST_COMPLETION;
    return kind == 1 || kind >= 5;
}

LP_STATIC_ASSERT(sizeof(struct lp_call_record) == 48 && sizeof(struct lp_call2_record) == 64, "as on disk");
LP_STATIC_ASSERT(sizeof(struct lp_completion_record) == 32 && sizeof(struct lp_region_record) == 16, "as on disk");
LP_STATIC_ASSERT(sizeof(struct lp_polls_record) == 24 && sizeof(struct lp_own_record) == 24, "as on disk");
LP_STATIC_ASSERT(sizeof(struct lp_polling_record) == 32 && sizeof(struct lp_machine_record) == 40, "as on disk");
LP_STATIC_ASSERT(sizeof(struct lp_area) == 64, "as on disk");

#endif
