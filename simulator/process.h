/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the trace records of a simulated process that the reader of samples needs: the names of
 * its threads, the code that it maps, the start and end of threads. Records the samples, too. Used
 * only when the core samples. */
#ifndef TACHO_PROCESS_H
#define TACHO_PROCESS_H

#include "pub_tool_basics.h"

#include "sample.h"

/* A program begins, in a new process or by exec. */
void process_begins(struct core* core);

/* This process is the child of a fork, in which the parent's thread `tid` continues. */
void process_forked(struct core* core, ThreadId tid);

/* A thread starts or continues to run; a thread is created; a thread ends; the process ends. */
void process_thread_runs(struct core* core, ThreadId tid);
void process_thread_created(ThreadId parent, ThreadId child);
void process_thread_ends(struct core* core, ThreadId tid);
void process_ends(struct core* core);

/* Code is mapped, or memory becomes executable. */
void process_mapped(struct core* core, Addr start, SizeT length);

/* A system call has succeeded: it may have renamed the thread. */
void process_called(struct core* core, UInt number, const UWord* args);

/* Records a sample, with the branches and callers that the core's sampling asks for. */
void process_sampled(struct core* core, UInt event, uint64_t period, uint64_t ip);

#endif
