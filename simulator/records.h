/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the records file, to which each simulated process appends (docs/explanation/simulator.md,
 * "records"). Plain C without Valgrind. */
#ifndef TACHO_RECORDS_H
#define TACHO_RECORDS_H

#include "core.h"

/* Begins the records of a new process, or of a new program in a process, with its columns. If
 * `with_trace`, each slice is written with what happened in it. */
void records_begin(const char* path, int with_trace);

/* Something that happened in the current slice. records_trace begins it; the numbers and texts
 * of its kind follow. A text is cut after `most` bytes. */
enum trace_record { SAMPLE = 1, MAPPING, NAME, BEGAN, ENDED };
void records_trace(const struct core* core, enum trace_record kind, int thread);
void records_number(uint64_t value);
void records_text(const char* text, unsigned most);

/* Whether there is no room for another trace record: the slice must end. */
int records_full(void);

/* Adds a slice to the current batch. Writes the batch if it is full or was begun 200 ms ago; with
 * trace records, always. */
void records_slice(const struct core* core);

/* Writes the current batch. */
void records_flush(void);

/* Writes the current batch and the last one of a process: all that it did has been counted. */
void records_end(void);

/* Called before each system call, in which the process may wait for long and be killed. Writes the
 * current batch if it was begun 10 ms ago. */
void records_before_call(void);

#endif
