/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls that the records need. Valgrind's tool has no libc, and QEMU's plugin has one:
 * valgrind_system.c and qemu/system.c implement them. */
#ifndef TACHO_SYSTEM_H
#define TACHO_SYSTEM_H

#include <stdint.h>

/* Opens a file for appending, where the program cannot reach it. Returns its descriptor or a
 * negative errno. */
int system_open(const char* path);
void system_close(int file);

/* The number of names and of bytes that the file has. It has no name if it was removed. */
void system_status(int file, uint64_t* links, uint64_t* bytes);

/* These three return 0, or another number after an error. */
int system_write(int file, const void* data, unsigned bytes);
int system_remove(const char* path);
int system_make(const char* path, const char* suffix);

/* RLIMIT_FSIZE of this process. */
uint64_t system_file_limit(void);
unsigned system_process(void);
unsigned system_milliseconds(void);

/* A message for tacho: "PATH: TEXT". */
void system_complain(const char* path, const char* text);

#endif
