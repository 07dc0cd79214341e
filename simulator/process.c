/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the trace records and samples of a process to the records. */
#include "process.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "records.h"
#include "trace_buffer.h"

#define MAX_NAME 15   /* bytes of a thread's name: TASK_COMM_LEN - 1 of Linux */
#define MAX_PATH 4096 /* PATH_MAX of Linux */
#define SET_NAME 15   /* PR_SET_NAME of <linux/prctl.h> */

struct thread {
  Int number;  /* the kernel's thread ID; 0: the thread has not run yet */
  Int creator; /* the thread ID of the thread that created it; 0: the process began with it */
  struct calls* calls;
};

static struct thread* threads; /* by Valgrind's ThreadId */
static Int process;            /* the kernel's process ID */
static struct thread* current;

/* ---- Records ---- */

/* Executes the trace first, so that the trace record gets the present simulated time. */
static void begin_trace_record(struct core* c, enum trace_record kind, Int thread) {
  trace_buffer_execute();
  if (records_full()) c->slice_ended(c);
  records_trace(c, kind, thread);
}

static Int current_thread(void) {
  return current ? current->number : process;
}

static void record_name(struct core* c, const HChar* name, Bool of_program) {
  begin_trace_record(c, NAME, current_thread());
  records_number(of_program);
  records_text(name, MAX_NAME);
}

static void record_begin(struct core* c, const struct thread* t, Int parent) {
  begin_trace_record(c, BEGAN, t->number);
  records_number((UInt)parent);
  records_number((UInt)t->creator);
}

static void record_mapping(struct core* c, Addr start, SizeT length) {
  const NSegment* const s = VG_(am_find_nsegment)(start);
  const Bool of_file = s && (s->kind == SkFileC || s->kind == SkFileV);
  const HChar* const path = of_file ? VG_(am_get_filename)(s) : NULL;
  begin_trace_record(c, MAPPING, current_thread());
  records_number(start);
  records_number(length);
  records_number(path ? (uint64_t)s->offset + (start - s->start) : 0);
  records_text(path ? path : "", MAX_PATH);
}

/* process_begins has recorded Valgrind's own code. Some bytes of it, which return from signals, are
 * announced once more on their own. They are no mapping, which has whole pages: autofdo refuses
 * them. */
void process_mapped(struct core* c, Addr start, SizeT length) {
  const NSegment* const s = VG_(am_find_nsegment)(start);
  if (s && s->kind != SkFileV && VG_IS_PAGE_ALIGNED(start)) record_mapping(c, start, length);
}

/* ---- Programs ---- */

/* Valgrind's own code: programs execute some of it in place of the kernel's and the loader's. */
static void record_valgrind_code(struct core* c) {
  enum { MAX_SEGMENTS = 64 };
  Addr starts[MAX_SEGMENTS];
  const Int count = VG_(am_get_segment_starts)(SkFileV, starts, MAX_SEGMENTS);
  Int i;
  for (i = 0; i < count; ++i) {
    const NSegment* const s = VG_(am_find_nsegment)(starts[i]);
    if (s && s->hasX) record_mapping(c, s->start, s->end - s->start + 1);
  }
}

void process_begins(struct core* c) {
  const HChar* const path = VG_(args_the_exename);
  const HChar* const slash = path ? VG_(strrchr)(path, '/') : NULL;
  process = VG_(getpid)();
  threads = VG_(calloc)("tacho.threads", VG_N_THREADS, sizeof *threads);
  record_name(c, slash ? slash + 1 : path ? path : "?", True);
  record_valgrind_code(c);
}

/* ---- Threads ---- */

void process_thread_created(ThreadId parent, ThreadId child) {
  threads[child].number = 0;
  threads[child].creator = threads[parent].number;
}

void process_thread_runs(struct core* c, ThreadId tid) {
  struct thread* const t = &threads[tid];
  current = t;
  if (!t->number) {
    t->number = VG_(gettid)();
    if (!t->calls) t->calls = VG_(malloc)("tacho.calls", sizeof *t->calls);
    t->calls->count = t->calls->oldest = 0;
    if (t->creator) record_begin(c, t, process);
  }
  c->sampling->calls = t->calls;
}

void process_thread_ends(struct core* c, ThreadId tid) {
  struct thread* const t = &threads[tid];
  if (t->number && t->number != process) begin_trace_record(c, ENDED, t->number);
  t->number = 0;
}

void process_ends(struct core* c) {
  begin_trace_record(c, ENDED, process);
}

void process_forked(struct core* c, ThreadId tid) {
  struct thread* const t = &threads[tid];
  const Int parent = process;
  UInt i;
  for (i = 0; i < VG_N_THREADS; ++i)
    if (&threads[i] != t) threads[i].number = 0;
  t->creator = t->number;
  t->number = process = VG_(getpid)();
  current = t;
  record_begin(c, t, parent);
}

/* ---- Names and samples ---- */

void process_called(struct core* c, UInt number, const UWord* args) {
  if (number == __NR_prctl && args[0] == SET_NAME) record_name(c, (const HChar*)args[1], False);
}

void process_sampled(struct core* c, UInt event, uint64_t period, uint64_t ip) {
  const struct sampling* const s = c->sampling;
  const UInt branches = s->with_branches ? taken_known(s) : 0;
  const uint64_t calls = s->with_callers ? s->calls->count - s->calls->oldest : 0;
  const UInt callers = calls < MAX_CALLERS ? (UInt)calls : MAX_CALLERS;
  UInt i;
  records_trace(c, SAMPLE, current_thread());
  records_number(event);
  records_number(period);
  records_number(ip);
  records_number(branches);
  for (i = 0; i < branches; ++i) {
    const struct taken_branch* const t = taken_before(s, i);
    records_number(t->from);
    records_number(t->to);
    records_number(t->cycles);
    records_number((UInt)t->kind << 1 | t->mispredicted);
  }
  records_number(callers);
  for (i = 0; i < callers; ++i)
    records_number(s->calls->back[(s->calls->count - 1 - i) % MAX_CALLS]);
}
