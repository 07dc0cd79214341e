/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "records.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

#define MOST_BYTES 65536
#define FLUSH_MS 200

enum { HEADER = 16, COLUMNS_BATCH = 1, SLICES_BATCH = 2 };

static const HChar* path;
static UChar batch[HEADER + MOST_BYTES];
static UInt used;     /* bytes after the header */
static UInt begun_ms; /* when the first of them came */
static Bool failed;   /* the file takes no more: said once */

static void put_u32(UChar* at, UInt value) {
  UInt i;
  for (i = 0; i < 4; ++i) at[i] = (UChar)(value >> (8 * i));
}

/* Opened for each batch, so that the program never sees a descriptor that is not its own. A file that
 * is gone is one that nobody waits for any more. */
static void write_batch(UInt kind) {
  SysRes opened;
  const Int bytes = (Int)(HEADER + used);
  if (failed) return;
  VG_(memcpy)(batch, "TSR1", 4);
  put_u32(batch + 4, (UInt)VG_(getpid)());
  put_u32(batch + 8, kind);
  put_u32(batch + 12, used);
  used = 0;
  opened = VG_(open)(path, VKI_O_WRONLY | VKI_O_APPEND, 0);
  if (sr_isError(opened)) {
    failed = True;
    if (sr_Err(opened) != VKI_ENOENT) VG_(umsg)("cannot open %s: the counts end here\n", path);
    return;
  }
  if (VG_(write)((Int)sr_Res(opened), batch, bytes) != bytes) {
    failed = True;
    VG_(umsg)("cannot write to %s: the counts end here\n", path);
  }
  VG_(close)((Int)sr_Res(opened));
}

void records_begin(const HChar* file) {
  UInt i;
  path = file;
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

void records_slice(const struct core* core) {
  UInt i;
  if (used + COLUMN_COUNT * 10 > MOST_BYTES) records_flush();
  if (used == 0) begun_ms = VG_(read_millisecond_timer)();
  for (i = 0; i < COLUMN_COUNT; ++i) {
    uint64_t left = core->counts[i];
    for (; left >= 128; left >>= 7) batch[HEADER + used++] = (UChar)(left | 128);
    batch[HEADER + used++] = (UChar)left;
  }
  if (VG_(read_millisecond_timer)() - begun_ms >= FLUSH_MS) records_flush();
}
