/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "records.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

#include "sample.h"

#define MOST_BYTES 65536
#define FLUSH_MS 200
#define WAIT_MS 10

#define MOST_HAPPENING 8192 /* bytes; a mapping's path is the longest thing */

enum { HEADER = 16, COLUMNS_BATCH = 1, SLICES_BATCH = 2, HAPPENINGS_BATCH = 3 };

static const HChar* path;
static UChar batch[HEADER + MOST_BYTES];
static UInt used;     /* bytes after the header */
static UInt begun_ms; /* when the first of them came */
static Bool failed;   /* the file takes no more: said once */
static Bool tells;    /* what happens: each slice is a batch */

static void put_u32(UChar* at, UInt value) {
  UInt i;
  for (i = 0; i < 4; ++i) at[i] = (UChar)(value >> (8 * i));
}

/* Opened for each batch, so that the program never sees a descriptor that is not its own. A file that
 * is gone is one that nobody waits for any more. */
static void write_batch(UInt kind) {
  SysRes opened;
  const Int bytes = (Int)(HEADER + used);
  VG_(memcpy)(batch, "TSR1", 4);
  put_u32(batch + 4, (UInt)VG_(getpid)());
  put_u32(batch + 8, kind);
  put_u32(batch + 12, used);
  used = 0; /* written or not: there is no room for more than a batch */
  if (failed) return;
  opened = VG_(open)(path, VKI_O_WRONLY | VKI_O_APPEND, 0);
  if (sr_isError(opened)) {
    failed = True;
    if (sr_Err(opened) != VKI_ENOENT) VG_(umsg)("cannot open %s: the counts end here\n", path);
    return;
  }
  if (VG_(write)((Int)sr_Res(opened), batch, bytes) != bytes) {
    failed = True;
    /* A message may find no more room than the counts did. That the file is gone needs none. */
    if (VG_(unlink)(path) != 0) VG_(umsg)("cannot write to %s: the counts end here\n", path);
  }
  VG_(close)((Int)sr_Res(opened));
}

void records_begin(const HChar* file, Bool samples) {
  UInt i;
  path = file;
  tells = samples;
  used = 0;
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

void records_before_call(void) {
  /* With what happens in it, a slice has been written when it ended. */
  if (!tells && used && VG_(read_millisecond_timer)() - begun_ms >= WAIT_MS) records_flush();
}

void records_number(uint64_t value) {
  for (; value >= 128; value >>= 7) batch[HEADER + used++] = (UChar)(value | 128);
  batch[HEADER + used++] = (UChar)value;
}

void records_text(const HChar* text, UInt most) {
  const UInt length = (UInt)VG_(strlen)(text), taken = length < most ? length : most;
  records_number(taken);
  VG_(memcpy)(batch + HEADER + used, text, taken);
  used += taken;
}

void records_happening(const struct core* core, enum happening kind, Int thread) {
  records_number(kind);
  records_number(cycles_in_slice(core));
  records_number((UInt)thread);
}

Bool records_full(void) { return used + COLUMN_COUNT * 10 + MOST_HAPPENING > MOST_BYTES; }

void records_slice(const struct core* core) {
  UInt i;
  if (!tells && used + COLUMN_COUNT * 10 > MOST_BYTES) records_flush();
  if (used == 0) begun_ms = VG_(read_millisecond_timer)();
  if (tells) records_number(0); /* nothing more happened */
  for (i = 0; i < COLUMN_COUNT; ++i) records_number(core->counts[i]);
  if (tells)
    write_batch(HAPPENINGS_BATCH);
  else if (VG_(read_millisecond_timer)() - begun_ms >= FLUSH_MS)
    records_flush();
}
