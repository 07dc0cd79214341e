/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What those need who read a process's samples, told as it happens: the names of its threads, the code
 * that it maps, who began and who ended. */
#ifndef TACHO_PROCESS_H
#define TACHO_PROCESS_H

#include "pub_tool_basics.h"

#include "sample.h"

/* A program begins in a process. */
void process_begins(struct core* core);

/* This is a child, which one thread of the parent's goes on in. */
void process_forked(struct core* core, ThreadId tid);

/* Threads: another one goes on, the first time or again; one is made; one ends; the last does. */
void process_thread_goes_on(struct core* core, ThreadId tid);
void process_creates_thread(ThreadId parent, ThreadId child);
void process_thread_ends(struct core* core, ThreadId tid);
void process_ends(struct core* core);

/* Code is mapped, or memory becomes code. */
void process_mapped(struct core* core, Addr start, SizeT length);

/* A system call was made: it may have given the thread another name. */
void process_called(struct core* core, UInt number, const UWord* args);

void process_sampled(struct core* core, UInt event, uint64_t period, uint64_t ip);

#endif
