/* Preloaded, makes a program believe that the machine was suspended for 100 ms, 50 ms after its
 * first look at a clock: CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW stand still meanwhile,
 * CLOCK_BOOTTIME and the processor's counter go on. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  syscall(SYS_clock_gettime, clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int64_t first = 0;
  const int64_t begin = 50000000;
  const int64_t length = 100000000;
  const int64_t awake = nanoseconds(CLOCK_BOOTTIME);
  int64_t now = nanoseconds(clock);
  if (first == 0) first = awake;
  if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW) {
    const int64_t after = awake - first - begin;
    if (after > 0) now -= after < length ? after : length;
  }
  time->tv_sec = (time_t)(now / 1000000000);
  time->tv_nsec = (long)(now % 1000000000);
  return 0;
}
