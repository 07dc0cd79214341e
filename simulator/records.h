/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records file, to which each simulated process appends: docs/explanation/simulator.md. */
#ifndef TACHO_RECORDS_H
#define TACHO_RECORDS_H

#include "pub_tool_basics.h"

#include "core.h"

/* A new process, or a new program in it: its columns come first. Where `samples`, a slice tells what
 * happened in it, too. */
void records_begin(const HChar* path, Bool samples);

/* Something that has happened in the slice: its kind, and whose it is; then what the kind tells. */
enum happening { SAMPLE = 1, MAPPING, NAME, BEGAN, ENDED };
void records_happening(const struct core* core, enum happening kind, Int thread);
void records_number(uint64_t value);
void records_text(const HChar* text, UInt most);

/* Whether there is no room for another one: the slice has to end. */
Bool records_full(void);

/* Keeps a slice for the next batch. Writes it when it is full or was begun 200 ms ago. */
void records_slice(const struct core* core);

/* Writes what is kept. */
void records_flush(void);

/* The program calls the kernel, where it may wait for ever and be killed: writes what has been kept
 * for 10 ms. */
void records_before_call(void);

#endif
