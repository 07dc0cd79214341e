/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one trace buffer, and when the core executes it. */
#include "trace_buffer.h"

#include "execute.h"
#include "far_memory.h"
#include "sample.h"

uint64_t trace[TRACE_WORDS];
uint64_t* trace_cursor = trace;

static struct core* executing;

void trace_buffer_init(struct core* core) {
  executing = core;
}

void trace_buffer_execute(void) {
  if (far_memory_map) far_memory_replace(trace, trace_cursor);
  execute_trace(executing, trace, trace_cursor);
  trace_cursor = trace;
}

void trace_buffer_drop(void) {
  trace_cursor = trace;
  core_switch(executing);
  if (executing->sampling) sampling_forget_branches(executing->sampling);
}

void trace_buffer_release(void) {
  trace_buffer_execute();
  trace_buffer_drop();
}
