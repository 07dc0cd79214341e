/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "records.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

#define MOST_BYTES 65536
#define RLIMIT_OF_FILES 1 /* RLIMIT_FSIZE, which Valgrind does not name */
#define FLUSH_MS 200
#define WAIT_MS 10

#define MOST_PATH 4096
#define MOST_HAPPENING 8192 /* bytes; a mapping's path is the longest thing */

enum { HEADER = 16, COLUMNS_BATCH = 1, SLICES_BATCH = 2, HAPPENINGS_BATCH = 3 };

/* Valgrind's own: moves a descriptor to where the program can neither see nor close it, and where it does
 * not outlive an exec. */
extern Int VG_(safe_fd)(Int fd);

static const HChar* path;
static Int file = -1; /* none yet, or none any more */
static UChar batch[HEADER + MOST_BYTES];
static UInt used;     /* bytes after the header */
static UInt begun_ms; /* when the first of them came */
static Bool failed;   /* the file takes no more: said once */
static Bool tells;    /* what happens: each slice is a batch */

static void put_u32(UChar* at, UInt value) {
  UInt i;
  for (i = 0; i < 4; ++i) at[i] = (UChar)(value >> (8 * i));
}

/* Once, and not for each batch: the program may change its root or its user meanwhile. */
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

/* A message may find no more room than the counts did. That the file is gone needs none. */
static void end_full(void) {
  give_up();
  if (VG_(unlink)(path) != 0) VG_(umsg)("cannot write to %s: the counts end here\n", path);
}

/* This process may write no file as large. That a file stands beside the records tells it; the others may
 * write on. A message would be limited, too, so that where nothing may be written there is none. */
static void end_limited(uint64_t limit) {
  HChar name[MOST_PATH];
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
  used = 0; /* written or not: there is no room for more than a batch */
  if (failed) return;
  /* Removed: nobody waits for it any more, or another process found no more room. */
  VG_(fstat)(file, &now);
  if (now.nlink == 0) return give_up();
  /* Beyond the limit SIGXFSZ would end the program. */
  VG_(getrlimit)(RLIMIT_OF_FILES, &limit);
  if ((uint64_t)now.size + (uint64_t)bytes > limit.rlim_cur) return end_limited(limit.rlim_cur);
  if (VG_(write)(file, batch, bytes) != bytes) end_full();
}

void records_begin(const HChar* name, Bool samples) {
  UInt i;
  path = name;
  tells = samples;
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
