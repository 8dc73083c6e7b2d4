// SPDX-License-Identifier: GPL-3.0-or-later
// The life of a recording: opened in MPI_Init, closed in MPI_Finalize, MPI_Abort or at exit; left alone by forked
// children. And the header's fields and the index.
#define _GNU_SOURCE
#include "recorder/storage/folder.h"
#include "recorder/storage/keptcalls.h"
#include "recorder/storage/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { most_folders = 10000 };
static bool has_membarrier;
static pid_t process;  // that opened the recording

bool lp_is_child(void) { return getpid() != process; }

void lp_stop(void)
{
    int state = atomic_load(&lp_recording.state);
    while (state >= LP_STATE_MUTED && !atomic_compare_exchange_weak(&lp_recording.state, &state, LP_STATE_STOPPED)) {}
    struct lp_header *header = lp_recording.file.header;
    if (header->stopped_errno != 0) return;
    header->stopped_errno = (uint32_t)lp_recording.file.error;
    header->stopped_at = lp_now();
    const int error = lp_recording.file.error;
    fprintf(stderr, "longpole: %s: %s; recording of rank %d ends here, the program goes on\n", lp_recording.file.path,
            error == ESTALE ? "the file was cut or replaced" : strerror(error), lp_recording.rank);
}

void lp_append(uint32_t kind, const void *bytes, size_t length)
{
    if (lp_recording.file.error != 0 || !lp_recording.file.header) return;
    if (atomic_load(&lp_recording.state) == LP_STATE_MUTED || lp_is_child()) return;
    if (!lp_file_append(&lp_recording.file, (struct lp_frame){.kind = kind}, bytes, length)) lp_stop();
}

// Of the process.
struct lp_usage {
    int64_t cpu;  // ns
    struct rusage all;
};
static struct lp_usage usage_at_start, usage_at_end;
static bool is_measured;  // to the end

static int64_t cpu_time(void)
{
    struct timespec used;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

static struct lp_usage usage_now(void)
{
    struct lp_usage usage = {.cpu = cpu_time()};
    getrusage(RUSAGE_SELF, &usage.all);
    return usage;
}

static void read_line(const char *path, char *text, size_t room)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    const ssize_t length = read(fd, text, room - 1);
    close(fd);
    for (ssize_t i = 0; i < length; ++i)
        if (text[i] == 0 || text[i] == '\n') text[i] = i + 1 < length ? ' ' : 0;
}

// What the launcher, or who started it, has bound this process to.
static void note_cores(struct lp_header *header)
{
    enum { most_cores = 1 << 16 };
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    header->cores = cores > 0 ? (uint32_t)cores : 0;
    cpu_set_t *set = CPU_ALLOC(most_cores);
    const size_t size = CPU_ALLOC_SIZE(most_cores);
    if (!set || sched_getaffinity(0, size, set) != 0) {
        CPU_FREE(set);
        return;
    }
    header->own_cores = (uint32_t)CPU_COUNT_S(size, set);
    for (size_t core = 0; core < 8 * sizeof header->own_core; ++core)
        if (CPU_ISSET_S(core, size, set)) header->own_core[core / 64] |= (uint64_t)1 << core % 64;
    CPU_FREE(set);
}

static void fill_header(struct lp_header *header, int64_t start)
{
    const struct lp_config *config = lp_config();
    header->rank = lp_recording.rank;
    header->size = lp_recording.size;
    header->pid = (uint32_t)getpid();
    header->clock_id = CLOCK_MONOTONIC;
    header->compression = (uint32_t)config->compression;
    header->threshold = config->threshold;
    header->stack_depth = lp_recording.stack_depth;
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    header->start = start;
    header->start_wall = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec;
    note_cores(header);
    gethostname(header->host, sizeof header->host - 1);
    read_line("/proc/sys/kernel/random/boot_id", header->boot_id, sizeof header->boot_id);
    const ssize_t length = readlink("/proc/self/exe", header->program, sizeof header->program - 1);
    header->program[length > 0 ? length : 0] = 0;
    read_line("/proc/self/cmdline", header->command_line, sizeof header->command_line);
}

static void complain(const char *path, int error)
{
    fprintf(stderr, "longpole: %s: %s; nothing is recorded, the program goes on\n", path, strerror(error));
}

// Names the recording's folder by its number and makes it. False: there is none, which is said.
static bool make_folder(int number)
{
    const char *wanted = lp_config()->output;
    const bool has_room = lp_folder_of(lp_recording.folder, sizeof lp_recording.folder, wanted, number);
    const int error = has_room ? lp_make_folder(lp_recording.folder) : ENAMETOOLONG;
    if (error != 0) complain(has_room ? lp_recording.folder : wanted, error);
    return error == 0;
}

static bool open_file(void)
{
    char path[1300];
    snprintf(path, sizeof path, "%s/rank-%06d.lprank", lp_recording.folder, lp_recording.rank);
    return lp_file_open(&lp_recording.file, path, LP_RANK_MAGIC);
}

// Makes a folder and this rank's file in it. For rank 0, without a number: the first folder without a recording; whose
// file of rank 0 is made here, has it, also if two runs look at once.
static bool make_file(int number)
{
    const int first = number != 0 ? number : 1, last = number != 0 ? number : most_folders;
    for (int n = first; n <= last; ++n) {
        lp_recording.number = n;
        if (!make_folder(n)) return false;
        if (number == 0 && lp_has_recording(lp_recording.folder)) continue;
        if (open_file()) {
            if (number == 0 && n > 1)
                fprintf(stderr, "longpole: %s has a recording already; this run is recorded into %s\n",
                        lp_config()->output, lp_recording.folder);
            return true;
        }
        if (number != 0 || lp_recording.file.error != EEXIST) break;
    }
    complain(lp_recording.folder, lp_recording.file.error != 0 ? lp_recording.file.error : EEXIST);
    return false;
}

// In a forked child, stops recording: its threads must not write into the parent's areas.
static void leave_to_parent(void) { atomic_store_explicit(&lp_recording.state, LP_STATE_OFF, memory_order_relaxed); }

static void close_as(enum lp_end_kind kind);
static void close_at_exit(void) { close_as(LP_EXITED); }

int lp_open(int rank, int size, int number)
{
    const int64_t start = lp_now();
    if (atomic_load(&lp_recording.state) != LP_STATE_OFF || lp_recording.folder[0] != 0) return lp_recording.number;
    process = getpid();
    lp_recording.rank = rank;
    lp_recording.size = size;
    lp_recording.threshold = lp_config()->threshold;
    lp_recording.stack_depth = lp_is_traced() ? lp_config()->stack : 0;
    if (!make_file(number)) return lp_recording.number;
    lp_recording.packer = lp_packer_new(lp_config()->buffer, lp_config()->compression);
    if (!lp_recording.packer) {
        complain(lp_recording.file.path, ENOMEM);
        return lp_recording.number;
    }
    usage_at_start = usage_now();
    is_measured = false;
    fill_header(lp_recording.file.header, start);
    has_membarrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    lp_prepare_threads();
    pthread_atfork(NULL, NULL, leave_to_parent);
    atexit(close_at_exit);
    if (lp_config()->summary || lp_config()->calls[0] != 0) lp_keep_begin(lp_recording.folder);
    lp_recording.keeps = lp_keeps();
    atomic_store(&lp_recording.state, LP_STATE_ON);
    lp_this_thread();
    pthread_mutex_lock(&lp_recording.lock);
    lp_put_modules();
    pthread_mutex_unlock(&lp_recording.lock);
    return lp_recording.number;
}

static bool is_busy(void)
{
    const struct lp_thread *mine = lp_this_thread();
    for (const struct lp_thread *thread = lp_recording.threads; thread; thread = thread->next)
        if (thread != mine && atomic_load_explicit(&thread->busy, memory_order_acquire) != 0) return true;
    return false;
}

// Waits until threads that are putting a record have finished it; new ones are refused. False if one did not within a
// second, or if the lock could not be had (a signal handler calls MPI_Abort): then records stay in the areas.
static bool wait_for_threads(void)
{
    if (!has_membarrier || syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (int i = 0; i < 1000; ++i) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 1;
        if (pthread_mutex_timedlock(&lp_recording.lock, &until) != 0) return false;
        if (!is_busy()) return true;
        pthread_mutex_unlock(&lp_recording.lock);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

static void pack_all(void)
{
    struct lp_thread *mine = lp_this_thread();
    if (mine && atomic_load(&mine->busy) != 0) return;  // in a signal handler
    if (mine) lp_put_sample(mine);
    bool all = true;
    for (struct lp_thread *thread = lp_recording.threads; thread; thread = thread->next) {
        all = lp_pack_area(thread) && all;
        lp_recording.record_count += thread->record_count;
        lp_recording.call_count += thread->call_count;
        lp_disown(&thread->waits);
    }
    struct lp_header *header = lp_recording.file.header;
    header->records = lp_recording.record_count;
    header->calls = lp_recording.call_count;
    lp_name_functions();
    lp_put_modules();
    if (!all || lp_recording.file.error != 0) return;
    for (struct lp_thread *thread = lp_recording.threads; thread; thread = thread->next)
        lp_file_forget_area(thread->area);
    lp_file_compact(&lp_recording.file);
}

static void note_usage(struct lp_header *header)
{
    const struct lp_usage end = is_measured ? usage_at_end : usage_now();
    header->cpu = end.cpu - usage_at_start.cpu;
    header->taken_away = (uint64_t)(end.all.ru_nivcsw - usage_at_start.all.ru_nivcsw);
    header->given_up = (uint64_t)(end.all.ru_nvcsw - usage_at_start.all.ru_nvcsw);
}

void lp_measure_begin(void)
{
    usage_at_start = usage_now();
    struct lp_thread *mine = lp_this_thread();
    if (mine) lp_begin_samples(mine);
}

void lp_measure_end(void)
{
    usage_at_end = usage_now();
    is_measured = true;
    struct lp_thread *mine = lp_this_thread();
    if (mine) lp_end_samples(mine);
}

static void close_as(enum lp_end_kind kind)
{
    if (lp_is_child() || atomic_exchange(&lp_recording.state, LP_STATE_OFF) == LP_STATE_OFF) return;
    if (wait_for_threads()) {
        pack_all();
        pthread_mutex_unlock(&lp_recording.lock);
    }
    lp_recording.file.header->end = lp_now();
    note_usage(lp_recording.file.header);
    lp_recording.file.header->end_kind = kind;
    lp_file_close(&lp_recording.file);
}

bool lp_is_traced(void) { return lp_config()->trace; }

void lp_mute(bool on)
{
    int was = on ? LP_STATE_ON : LP_STATE_MUTED;
    if (!atomic_compare_exchange_strong(&lp_recording.state, &was, on ? LP_STATE_MUTED : LP_STATE_ON)) return;
    lp_recording.file.header->flags |= LP_WITHOUT_TRACE;
}

void lp_close(bool abort) { close_as(abort ? LP_ABORTED : LP_FINALIZED); }

void lp_set_run(uint64_t run)
{
    if (lp_recording.file.header) lp_recording.file.header->run = run;
}

uint64_t lp_run(void) { return lp_recording.file.header ? lp_recording.file.header->run : 0; }

int lp_folder(void) { return lp_recording.number; }

void lp_set_first(int32_t first)
{
    if (lp_recording.file.header) lp_recording.file.header->first_rank = first;
}

void lp_set_mpi(const char *library, int thread_level)
{
    struct lp_header *header = lp_recording.file.header;
    if (!header) return;
    snprintf(header->library, sizeof header->library, "%s", library);
    header->thread_level = (uint32_t)thread_level;
}

void lp_set_clock(int point, const struct lp_clock_point *at)
{
    if (lp_recording.file.header && point >= 0 && point < 2) lp_recording.file.header->clock[point] = *at;
}
