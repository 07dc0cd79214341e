/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches of slices, and the errors of their file. */
#include "records.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

/* docs/explanation/simulator.md promises these three; the times are real time. */
#define MAX_BYTES 65536             /* of a batch */
#define FLUSH_AFTER_MS 200          /* a batch is written once it is this old */
#define FLUSH_BEFORE_CALL_MS 10     /* or, before a system call, this old */
#define MAX_NUMBER_BYTES 10         /* of 64 bits as LEB128 */
#define MAX_PATH 4096               /* PATH_MAX of Linux */
#define MAX_TRACE_RECORD_BYTES 8192 /* the longest one is a mapping with its path */
#define RLIMIT_OF_FILES 1           /* RLIMIT_FSIZE of Linux, for which Valgrind has no name */

enum { HEADER = 16, COLUMNS_BATCH = 1, SLICES_BATCH = 2, TRACE_BATCH = 3, END_BATCH = 4 };

/* An internal function of Valgrind: moves a descriptor to a number that the program can neither see
 * nor close, and makes it close on exec. */
extern Int VG_(safe_fd)(Int fd);

static const HChar* path;
static Int file = -1; /* -1: not opened yet, or closed after an error */
static UChar batch[HEADER + MAX_BYTES];
static UInt used;                  /* bytes after the header */
static UInt begun_ms;              /* real time at which the batch got its first slice */
static Bool failed;                /* nothing more can be written; this is reported once */
static Bool each_slice_is_a_batch; /* with what happened in it */

static void put_u32(UChar* at, UInt value) {
  UInt i;
  for (i = 0; i < 4; ++i) at[i] = (UChar)(value >> (8 * i));
}

/* Once and not for each batch, since the program may change its root directory or its user. */
static void open_file(void) {
  const SysRes opened = VG_(open)(path, VKI_O_WRONLY | VKI_O_APPEND, 0);
  failed = sr_isError(opened);
  if (!failed)
    file = VG_(safe_fd)((Int)sr_Res(opened));
  else if (sr_Err(opened) != VKI_ENOENT)
    VG_(umsg)("cannot open %s: the counts end here\n", path);
}

static void give_up(void) {
  failed = True;
  VG_(close)(file);
  file = -1;
}

/* The disk is full. A message might find no room either, so the file is removed: tacho notices
 * that. */
static void end_full(void) {
  give_up();
  if (VG_(unlink)(path) != 0) VG_(umsg)("cannot write to %s: the counts end here\n", path);
}

/* RLIMIT_FSIZE forbids this process a larger file; other processes may write on. A file beside the
 * records shows this to tacho. If that file can't be made, a message says so, unless the limit
 * forbids the message, too. */
static void end_limited(uint64_t limit) {
  HChar name[MAX_PATH];
  SysRes made;
  give_up();
  VG_(snprintf)(name, sizeof name, "%s.limited", path);
  made = VG_(open)(name, VKI_O_WRONLY | VKI_O_CREAT, 0600);
  if (!sr_isError(made))
    VG_(close)((Int)sr_Res(made));
  else if (limit >= sizeof name)
    VG_(umsg)("%s may not grow as large as needed (ulimit -f): the counts end here\n", path);
}

static void write_batch(UInt kind) {
  struct vg_stat now = {.nlink = 1};
  struct vki_rlimit limit = {~0ul, ~0ul};
  const Int bytes = (Int)(HEADER + used);
  VG_(memcpy)(batch, "TSR1", 4);
  put_u32(batch + 4, (UInt)VG_(getpid)());
  put_u32(batch + 8, kind);
  put_u32(batch + 12, used);
  used = 0; /* also if writing fails: there is no room for more than one batch */
  if (failed) return;
  /* The file was removed: tacho has ended, or another process found the disk full. */
  VG_(fstat)(file, &now);
  if (now.nlink == 0) return give_up();
  /* Writing beyond the limit would end the program with SIGXFSZ. */
  VG_(getrlimit)(RLIMIT_OF_FILES, &limit);
  if ((uint64_t)now.size + (uint64_t)bytes > limit.rlim_cur) return end_limited(limit.rlim_cur);
  if (VG_(write)(file, batch, bytes) != bytes) end_full();
}

void records_begin(const HChar* name, Bool with_trace) {
  UInt i;
  path = name;
  each_slice_is_a_batch = with_trace;
  used = 0;
  if (file < 0 && !failed) open_file();
  for (i = 0; i < COLUMN_COUNT; ++i) {
    const UInt length = (UInt)VG_(strlen)(column_names[i]) + 1;
    VG_(memcpy)(batch + HEADER + used, column_names[i], length);
    used += length;
  }
  write_batch(COLUMNS_BATCH);
}

void records_flush(void) {
  if (used) write_batch(SLICES_BATCH);
}

void records_end(void) {
  records_flush();
  write_batch(END_BATCH);
}

void records_before_call(void) {
  if (!each_slice_is_a_batch && used &&
      VG_(read_millisecond_timer)() - begun_ms >= FLUSH_BEFORE_CALL_MS)
    records_flush();
}

void records_number(uint64_t value) {
  for (; value >= 128; value >>= 7) batch[HEADER + used++] = (UChar)(value | 128);
  batch[HEADER + used++] = (UChar)value;
}

void records_text(const HChar* text, UInt most) {
  const UInt length = (UInt)VG_(strlen)(text), bytes = length < most ? length : most;
  records_number(bytes);
  VG_(memcpy)(batch + HEADER + used, text, bytes);
  used += bytes;
}

void records_trace(const struct core* core, enum trace_record kind, Int thread) {
  records_number(kind);
  records_number(cycles_in_slice(core));
  records_number((UInt)thread);
}

Bool records_full(void) {
  return used + COLUMN_COUNT * MAX_NUMBER_BYTES + MAX_TRACE_RECORD_BYTES > MAX_BYTES;
}

void records_slice(const struct core* core) {
  UInt i;
  if (!each_slice_is_a_batch && used + COLUMN_COUNT * MAX_NUMBER_BYTES > MAX_BYTES) records_flush();
  if (used == 0) begun_ms = VG_(read_millisecond_timer)();
  if (each_slice_is_a_batch) records_number(0); /* the end of what happened */
  for (i = 0; i < COLUMN_COUNT; ++i) records_number(core->counts[i]);
  if (each_slice_is_a_batch)
    write_batch(TRACE_BATCH);
  else if (VG_(read_millisecond_timer)() - begun_ms >= FLUSH_AFTER_MS)
    records_flush();
}
