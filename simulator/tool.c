/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulator as a Valgrind tool: its options and its callbacks. It runs an unmodified program,
 * executes the program's instructions on a model of a processor core, and writes the core's counts,
 * in slices of simulated time, to the records file. docs/explanation/simulator.md has the interface
 * to tacho. */
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "core.h"
#include "far_memory.h"
#include "instrument.h"
#include "process.h"
#include "records.h"
#include "registers.h"
#include "sample.h"
#include "trace_buffer.h"

/* Of the other file from tacho: several times its usual size. A longer file is refused. */
#define MAX_SAMPLING_BYTES 16384

static const HChar* model_path;
static const HChar* records_path;
static const HChar* sampling_path;
static struct core core;
static struct sampling sampling;
static ThreadId thread; /* 0: none yet */

static void end_slice(struct core* c) {
  records_slice(c);
  if (c->sampling) sampling_next_slice(c);
  core_next_slice(c);
}

/* Writes all counts up to now. */
static void write_everything(void) {
  trace_buffer_execute();
  end_slice(&core);
  records_flush();
}

static void thread_runs(ThreadId tid, ULong blocks) {
  (void)blocks;
  if (tid == thread) return;
  trace_buffer_release();
  thread = tid;
  if (core.sampling) process_thread_runs(&core, tid);
}

static void thread_stops(ThreadId tid, ULong blocks) {
  (void)tid, (void)blocks;
  registers_translate_again();
}

/* The parent's trace records must be in the file before the child's begin. */
static void before_fork(ThreadId tid) {
  (void)tid;
  if (core.sampling) write_everything();
}

/* A child starts with empty counts: those before the fork are its parent's. */
static void child_begins(ThreadId tid) {
  trace_buffer_drop();
  core_restart(&core);
  if (core.sampling) sampling_restart(&core);
  records_begin(records_path, core.sampling != NULL);
  if (core.sampling) process_forked(&core, tid);
}

/* System calls that may not return to the program. */
static Bool may_end(UInt number) {
  return number == __NR_execve || number == __NR_execveat || number == __NR_exit_group ||
         number == __NR_kill || number == __NR_tkill || number == __NR_tgkill;
}

static void before_call(ThreadId tid, UInt number, UWord* args, UInt count) {
  (void)tid, (void)args, (void)count;
  if (may_end(number))
    write_everything();
  else
    records_before_call();
}

static void after_call(ThreadId tid, UInt number, UWord* args, UInt count, SysRes result) {
  (void)tid, (void)count;
  if (core.sampling && !sr_isError(result)) process_called(&core, number, args);
}

/* ---- Mappings and threads ---- */

static void mapped(Addr start, SizeT length, Bool readable, Bool writable, Bool executable,
                   ULong handle) {
  (void)readable, (void)writable, (void)handle;
  far_memory_mapped(start, length);
  if (core.sampling && executable) process_mapped(&core, start, length);
}

static void protected(Addr start, SizeT length, Bool readable, Bool writable, Bool executable) {
  mapped(start, length, readable, writable, executable, 0);
}

static void moved(Addr from, Addr to, SizeT length) {
  (void)from;
  far_memory_mapped(to, length);
}

static void thread_created(ThreadId parent, ThreadId child) {
  if (core.sampling) process_thread_created(parent, child);
}

static void thread_ends(ThreadId tid) {
  if (core.sampling) process_thread_ends(&core, tid);
}

static void* allocate(const char* what, size_t bytes) {
  (void)what;
  return VG_(malloc)("tacho.core", bytes ? bytes : 1);
}

static Bool option(const HChar* arg) {
  if (VG_STR_CLO(arg, "--model", model_path)) return True;
  if (VG_STR_CLO(arg, "--records", records_path)) return True;
  if (VG_STR_CLO(arg, "--sampling", sampling_path)) return True;
  return False;
}

static void usage(void) {
  VG_(printf)(
      "    --model=FILE     read the processor model from FILE\n"
      "    --records=FILE   append the counts to FILE\n"
      "    --sampling=FILE  sample the events that FILE lists, if it exists\n");
}

static void no_debug_options(void) {
  VG_(printf)("    (none)\n");
}

/* Reads a file; returns its length, or a negative number if it can't be read. */
static Int read_text(const HChar* path, HChar* text, Int most) {
  const Int fd = path ? VG_(fd_open)(path, VKI_O_RDONLY, 0) : -1;
  const Int length = fd >= 0 ? VG_(read)(fd, text, most) : -1;
  if (fd >= 0) VG_(close)(fd);
  return length;
}

static void require_option(const HChar* name, const HChar* value) {
  if (value) return;
  VG_(umsg)("%s is missing\n", name);
  VG_(exit)(125);
}

static void refuse(const HChar* path, UInt line) {
  VG_(umsg)("%s: line %u is wrong: tacho and its simulator have different versions\n", path, line);
  VG_(exit)(125);
}

static void read_model(struct model* model) {
  static HChar text[MAX_MODEL_BYTES];
  const Int length = read_text(model_path, text, sizeof text);
  UInt wrong;
  if (length < 0) {
    VG_(umsg)("cannot read %s\n", model_path);
    VG_(exit)(125);
  }
  wrong = model_parse(text, (size_t)length, model);
  if (wrong) refuse(model_path, wrong);
}

/* Whether there is a sampling file. */
static Bool read_sampling(void) {
  static HChar text[MAX_SAMPLING_BYTES];
  const Int length = read_text(sampling_path, text, sizeof text);
  const UInt wrong = length < 0 ? 0 : sampling_parse(text, (size_t)length, &sampling);
  if (wrong) refuse(sampling_path, wrong);
  return length >= 0;
}

/* The core's callback for a sample. */
static void sampled(struct core* c, unsigned event, uint64_t period, uint64_t ip) {
  process_sampled(c, event, period, ip);
  if (!records_full()) return;
  core_settle(c);
  end_slice(c);
}

static void begin_sampling(void) {
  sampling.sampled = sampled;
  core.sampling = &sampling;
  process_begins(&core);
  sampling_restart(&core);
}

static void begin(void) {
  struct model model;
  require_option("--model", model_path);
  require_option("--records", records_path);
  read_model(&model);
  const Bool samples = read_sampling();
  core_init(&core, &model, allocate, end_slice);
  far_memory_init(allocate);
  trace_buffer_init(&core);
  instrument_init(&core.model, samples);
  records_begin(records_path, samples);
  if (samples) begin_sampling();
  VG_(atfork)(before_fork, NULL, child_begins);
}

static void end(Int status) {
  (void)status;
  trace_buffer_execute();
  if (core.sampling) process_ends(&core);
  write_everything();
  records_end();
}

static void describe(void) {
  VG_(details_name)("tacho");
  VG_(details_version)(NULL);
  VG_(details_description)("the software PMU of tacho");
  VG_(details_copyright_author)("Part of tacho; GPL-2.0-or-later");
  VG_(details_bug_reports_to)("tacho's maintainers");
  VG_(details_avg_translation_sizeB)(500);
  VG_(basic_tool_funcs)(begin, instrument, end);
  VG_(needs_superblock_discards)(instrument_discard);
  VG_(needs_command_line_options)(option, usage, no_debug_options);
  VG_(needs_syscall_wrapper)(before_call, after_call);
  VG_(track_start_client_code)(thread_runs);
  VG_(track_stop_client_code)(thread_stops);
  VG_(track_new_mem_startup)(mapped);
  VG_(track_new_mem_mmap)(mapped);
  VG_(track_change_mem_mprotect)(protected);
  VG_(track_copy_mem_remap)(moved);
  VG_(track_pre_thread_ll_create)(thread_created);
  VG_(track_pre_thread_ll_exit)(thread_ends);
  /* Blocks must not continue beyond an unconditional branch: the branch ends a segment and is
   * counted there. */
  VG_(clo_vex_control).guest_chase = False;
}

/* Valgrind reads the lines of each program, for messages that the simulator does not write.
 * Version 3.19 gives up on the DWARF 5 of clang, and ends the program. The linker calls this
 * instead (--wrap). */
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void) {}

VG_DETERMINE_INTERFACE_VERSION(describe)
