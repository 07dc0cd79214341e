/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by libc. The program that QEMU emulates shares QEMU's descriptors and may close
 * them, so each use of the records' descriptor makes sure that it is still the records'. */
#include "system.h"
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct stat opened_file;
static const char* opened_path;
static char log_path[PATH_MAX];

void system_log(const char* directory) {
  snprintf(log_path, sizeof log_path, "%s/log.%d", directory, (int)getpid());
}

/* Far above the numbers that programs get. */
static int move_away(int file) {
  struct rlimit limit;
  int moved = -1;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur <= INT_MAX)
    moved = fcntl(file, F_DUPFD_CLOEXEC, (int)(limit.rlim_cur * 3 / 4));
  if (moved < 0) return file;
  close(file);
  return moved;
}

int system_open(const char* path) {
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return -errno;
  opened_path = path;
  fstat(file, &opened_file);
  return move_away(file);
}

void system_close(int file) {
  close(file);
}

static int is_opened_file(const struct stat* status) {
  return status->st_dev == opened_file.st_dev && status->st_ino == opened_file.st_ino;
}

void system_status(int file, uint64_t* links, uint64_t* bytes) {
  struct stat now;
  *links = *bytes = 0;
  if (fstat(file, &now) != 0 || !is_opened_file(&now)) {
    const int again = open(opened_path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (again < 0) return;
    if (fstat(again, &now) != 0 || !is_opened_file(&now) || dup2(again, file) < 0 ||
        fcntl(file, F_SETFD, FD_CLOEXEC) < 0)
      now.st_nlink = 0;
    close(again);
  }
  *links = now.st_nlink;
  *bytes = (uint64_t)now.st_size;
}

int system_write(int file, const void* data, unsigned bytes) {
  return write(file, data, bytes) != (ssize_t)bytes;
}

int system_remove(const char* path) {
  return unlink(path);
}

int system_make(const char* path, const char* suffix) {
  char name[PATH_MAX];
  int made;
  snprintf(name, sizeof name, "%s%s", path, suffix);
  made = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (made < 0) return 1;
  close(made);
  return 0;
}

uint64_t system_file_limit(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : ~0ull;
}

unsigned system_process(void) {
  return (unsigned)getpid();
}

unsigned system_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
}

void system_complain(const char* path, const char* text) {
  FILE* const log = fopen(log_path, "ae");
  if (!log) return;
  fprintf(log, "%s: %s\n", path, text);
  fclose(log);
}

void system_withdraw(void) {
  unlink(log_path);
}
