/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batches of slices, and the errors of their file. Plain C; system.h has the system calls. */
#include "records.h"

#include <errno.h>

#include "system.h"

/* docs/explanation/simulator.md promises these three; the times are real time. */
#define MAX_BYTES 65536             /* of a batch */
#define FLUSH_AFTER_MS 200          /* a batch is written once it is this old */
#define FLUSH_BEFORE_CALL_MS 10     /* or, before a system call, this old */
#define MAX_NUMBER_BYTES 10         /* of 64 bits as LEB128 */
#define MAX_PATH 4096               /* PATH_MAX of Linux */
#define MAX_TRACE_RECORD_BYTES 8192 /* the longest one is a mapping with its path */

enum { HEADER = 16, COLUMNS_BATCH = 1, SLICES_BATCH = 2, TRACE_BATCH = 3, END_BATCH = 4 };

static const char* path;
static int file = -1; /* -1: not opened yet, or closed after an error */
static uint8_t batch[HEADER + MAX_BYTES];
static unsigned used;             /* bytes after the header */
static unsigned begun_ms;         /* real time at which the batch got its first slice */
static int failed;                /* nothing more can be written; this is reported once */
static int each_slice_is_a_batch; /* with what happened in it */

static void put_u32(uint8_t* at, unsigned value) {
  unsigned i;
  for (i = 0; i < 4; ++i) at[i] = (uint8_t)(value >> (8 * i));
}

static void put_bytes(const char* bytes, unsigned count) {
  unsigned i;
  for (i = 0; i < count; ++i) batch[HEADER + used++] = (uint8_t)bytes[i];
}

static unsigned length_of(const char* text) {
  unsigned length = 0;
  while (text[length]) ++length;
  return length;
}

/* Once and not for each batch, since the program may change its root directory or its user. */
static void open_file(void) {
  file = system_open(path);
  failed = file < 0;
  if (failed && file != -ENOENT) system_complain(path, "cannot be opened: the counts end here");
}

static void give_up(void) {
  failed = 1;
  system_close(file);
  file = -1;
}

/* The disk is full. A message might find no room either, so the file is removed: tacho notices
 * that. */
static void end_full(void) {
  give_up();
  if (system_remove(path) != 0) system_complain(path, "cannot be written: the counts end here");
}

/* RLIMIT_FSIZE forbids this process a larger file; other processes may write on. A file beside the
 * records shows this to tacho. If that file can't be made, a message says so, unless the limit
 * forbids the message, too. */
static void end_limited(uint64_t limit) {
  give_up();
  if (system_make(path, ".limited") != 0 && limit >= MAX_PATH)
    system_complain(path, "may not grow as large as needed (ulimit -f): the counts end here");
}

static void write_batch(unsigned kind) {
  static const char mark[4] = {'T', 'S', 'R', '1'};
  uint64_t links, bytes;
  const unsigned count = HEADER + used;
  unsigned i;
  for (i = 0; i < 4; ++i) batch[i] = (uint8_t)mark[i];
  put_u32(batch + 4, system_process());
  put_u32(batch + 8, kind);
  put_u32(batch + 12, used);
  used = 0; /* also if writing fails: there is no room for more than one batch */
  if (failed) return;
  /* The file was removed: tacho has ended, or another process found the disk full. */
  system_status(file, &links, &bytes);
  if (links == 0) return give_up();
  /* Writing beyond the limit would end the program with SIGXFSZ. */
  const uint64_t limit = system_file_limit();
  if (bytes + count > limit) return end_limited(limit);
  if (system_write(file, batch, count) != 0) end_full();
}

void records_begin(const char* name, int with_trace) {
  unsigned i;
  path = name;
  each_slice_is_a_batch = with_trace;
  used = 0;
  if (file < 0 && !failed) open_file();
  for (i = 0; i < COLUMN_COUNT; ++i) put_bytes(column_names[i], length_of(column_names[i]) + 1);
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
  if (!each_slice_is_a_batch && used && system_milliseconds() - begun_ms >= FLUSH_BEFORE_CALL_MS)
    records_flush();
}

void records_number(uint64_t value) {
  for (; value >= 128; value >>= 7) batch[HEADER + used++] = (uint8_t)(value | 128);
  batch[HEADER + used++] = (uint8_t)value;
}

void records_text(const char* text, unsigned most) {
  const unsigned length = length_of(text), bytes = length < most ? length : most;
  records_number(bytes);
  put_bytes(text, bytes);
}

void records_trace(const struct core* core, enum trace_record kind, int thread) {
  records_number(kind);
  records_number(cycles_in_slice(core));
  records_number((unsigned)thread);
}

int records_full(void) {
  return used + COLUMN_COUNT * MAX_NUMBER_BYTES + MAX_TRACE_RECORD_BYTES > MAX_BYTES;
}

void records_slice(const struct core* core) {
  unsigned i;
  if (!each_slice_is_a_batch && used + COLUMN_COUNT * MAX_NUMBER_BYTES > MAX_BYTES) records_flush();
  if (used == 0) begun_ms = system_milliseconds();
  if (each_slice_is_a_batch) records_number(0); /* the end of what happened */
  for (i = 0; i < COLUMN_COUNT; ++i) records_number(core->counts[i]);
  if (each_slice_is_a_batch)
    write_batch(TRACE_BATCH);
  else if (system_milliseconds() - begun_ms >= FLUSH_AFTER_MS)
    records_flush();
}
