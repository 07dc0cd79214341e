/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records file, to which each simulated process appends: docs/simulator.md. */
#ifndef TACHO_RECORDS_H
#define TACHO_RECORDS_H

#include "pub_tool_basics.h"

#include "core.h"

/* A new process, or a new program in it: its columns come first. */
void records_begin(const HChar* path);

/* Keeps a slice for the next batch. Writes it when it is full or was begun 200 ms ago. */
void records_slice(const struct core* core);

/* Writes what is kept. */
void records_flush(void);

#endif
