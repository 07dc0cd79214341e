/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by Valgrind's library. */
#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_vki.h"

#include "system.h"

#define MAX_PATH 4096     /* PATH_MAX of Linux */
#define RLIMIT_OF_FILES 1 /* RLIMIT_FSIZE of Linux, for which Valgrind has no name */

/* An internal function of Valgrind: moves a descriptor to a number that the program can neither see
 * nor close, and makes it close on exec. */
extern Int VG_(safe_fd)(Int fd);

int system_open(const char* path) {
  const SysRes opened = VG_(open)(path, VKI_O_WRONLY | VKI_O_APPEND, 0);
  return sr_isError(opened) ? -(int)sr_Err(opened) : VG_(safe_fd)((Int)sr_Res(opened));
}

void system_close(int file) {
  VG_(close)(file);
}

void system_status(int file, uint64_t* links, uint64_t* bytes) {
  struct vg_stat now = {.nlink = 1};
  VG_(fstat)(file, &now);
  *links = now.nlink;
  *bytes = (uint64_t)now.size;
}

int system_write(int file, const void* data, unsigned bytes) {
  return VG_(write)(file, data, (Int)bytes) != (Int)bytes;
}

int system_remove(const char* path) {
  return VG_(unlink)(path);
}

int system_make(const char* path, const char* suffix) {
  HChar name[MAX_PATH];
  SysRes made;
  VG_(snprintf)(name, sizeof name, "%s%s", path, suffix);
  made = VG_(open)(name, VKI_O_WRONLY | VKI_O_CREAT, 0600);
  if (sr_isError(made)) return 1;
  VG_(close)((Int)sr_Res(made));
  return 0;
}

uint64_t system_file_limit(void) {
  struct vki_rlimit limit = {~0ul, ~0ul};
  VG_(getrlimit)(RLIMIT_OF_FILES, &limit);
  return limit.rlim_cur;
}

unsigned system_process(void) {
  return (unsigned)VG_(getpid)();
}

unsigned system_milliseconds(void) {
  return VG_(read_millisecond_timer)();
}

void system_complain(const char* path, const char* text) {
  VG_(umsg)("%s: %s\n", path, text);
}
