/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulator as a plugin for QEMU's user-mode emulators: what QEMU calls. It executes the ARM
 * code of a program on a model of a processor core, as the Valgrind tool (tool.c) does with x86-64
 * code. docs/explanation/simulator.md has the interface to tacho. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "execute.h"
#include "log.h"
#include "model.h"
#include "qemu_plugin.h"
#include "records.h"
#include "system.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int qemu_plugin_version = 1;

/* ---- Threads and their traces ---- */

/* A thread has its trace executed at the start of a block, if the trace has TRACE_FULL words or
 * more. The rest has room for one block. */
#define TRACE_FULL 2048
#define TRACE_WORDS (TRACE_FULL + 4096)

struct thread {
  struct thread* next;
  uint64_t* open;            /* the words of the last block */
  uint64_t* end;             /* the words behind it */
  const struct block* block; /* the last block; 0: none since the trace was executed */
  uint64_t trace[TRACE_WORDS];
};

static __thread struct thread* self;
static struct thread* threads;

/* Guards all that follows. The threads run at the same time, and there is one core. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct core core;
static struct thread* on_core; /* the thread whose trace the core has executed last */
static struct address_map map;
static int is_64; /* A64 code, whose addresses need the map */
static int over;  /* the process has ended: what other threads still do is not counted */
static unsigned process;
static const char* directory; /* of the files that tacho and the simulator exchange */
static char records_path[4096];

static void begin_trace(struct thread* t) {
  t->open = t->end = t->trace;
  t->block = NULL;
}

static struct thread* begin_thread(void) {
  self = malloc(sizeof *self);
  begin_trace(self);
  pthread_mutex_lock(&mutex);
  self->next = threads;
  threads = self;
  pthread_mutex_unlock(&mutex);
  return self;
}

static void replace_addresses(uint64_t* at, const uint64_t* end) {
  while (at < end) {
    const struct segment* const s = (const struct segment*)(uintptr_t)*at++;
    const uint64_t* const next = at + s->operands;
    for (; at < next; ++at)
      if (*at) *at = address_map_find(&map, *at);
  }
}

/* With the mutex. */
static void execute(struct thread* t) {
  if (over) return begin_trace(t);
  if (on_core != t) core_switch(&core);
  on_core = t;
  if (is_64) replace_addresses(t->trace, t->end);
  execute_trace(&core, t->trace, t->end);
  begin_trace(t);
}

/* With the mutex. The thread executes nothing more. */
static void end_thread(void) {
  struct thread** at = &threads;
  if (!self) return;
  while (*at != self) at = &(*at)->next;
  *at = self->next;
  free(self);
  self = on_core = NULL;
  core_switch(&core);
}

static void end_slice(struct core* c) {
  records_slice(c);
  core_next_slice(c);
}

/* With the mutex: writes all counts up to now. */
static void write_everything(void) {
  if (self) execute(self);
  end_slice(&core);
  records_flush();
}

/* ---- Blocks ---- */

/* The last block's branch has led to `address`. */
static void take_branch(struct thread* t, uint64_t address) {
  const struct block* const b = t->block;
  if (b && b->taken && address != b->follows) *t->open = (uint64_t)(uintptr_t)b->taken;
}

static void block_begins(unsigned cpu, void* data) {
  const struct block* const block = data;
  struct thread* const t = self ? self : begin_thread();
  uint32_t i;
  (void)cpu;
  take_branch(t, block->address);
  if (t->end >= t->trace + TRACE_FULL) {
    pthread_mutex_lock(&mutex);
    execute(t);
    pthread_mutex_unlock(&mutex);
  }
  t->open = t->end;
  *t->open = (uint64_t)(uintptr_t)block->segment;
  for (i = 1; i <= block->operands; ++i) t->open[i] = 0;
  t->end = t->open + 1 + block->operands;
  t->block = block;
}

/* An instruction that loads or stores several registers comes here for each of them, in ascending
 * order: the first address is that of the whole. */
static void accessed(unsigned cpu, uint32_t info, uint64_t address, void* data) {
  const struct access* const access = data;
  uint64_t* const at = self->open + 1 + access->slot;
  unsigned i;
  (void)cpu, (void)info;
  if (*at) return;
  for (i = 0; i < access->pieces; ++i) at[i] = address + i * core.model.l1d.line;
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
  enum { MOST = 512 };
  static struct code code[MOST];
  static struct access* accesses[MOST];
  const size_t count = qemu_plugin_tb_n_insns(tb);
  const struct block* block;
  size_t i;
  (void)id;
  for (i = 0; i < count; ++i) {
    const struct qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    code[i].address = qemu_plugin_insn_vaddr(insn);
    code[i].bytes = qemu_plugin_insn_data(insn);
    code[i].count = (unsigned)qemu_plugin_insn_size(insn);
  }
  pthread_mutex_lock(&mutex);
  block = blocks_add(code, (unsigned)count, accesses);
  pthread_mutex_unlock(&mutex);
  qemu_plugin_register_vcpu_tb_exec_cb(tb, block_begins, QEMU_PLUGIN_CB_NO_REGS, (void*)block);
  for (i = 0; i < count; ++i)
    if (accesses[i])
      qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), accessed,
                                       QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, accesses[i]);
}

/* ---- System calls ---- */

/* The numbers of system calls that begin or may end a process, or another program. -1: there is no
 * such call. */
struct calls_of {
  int execve, execveat, exit, exit_group, kill, tkill, tgkill;
};
static const struct calls_of calls_of_a64 = {221, 281, 93, 94, 129, 130, 131};
static const struct calls_of calls_of_a32 = {11, 387, 1, 248, 37, 238, 268};
static const struct calls_of* calls;

static int executes(int64_t number) {
  return number == calls->execve || number == calls->execveat;
}

static void called(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2,
                   uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
  (void)id, (void)cpu, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7,
      (void)a8;
  pthread_mutex_lock(&mutex);
  if (executes(number)) {
    write_everything();
    records_end();
    system_complain("another program", "QEMU simulates no program that the command executes");
  } else if (number == calls->exit || number == calls->exit_group || number == calls->kill ||
             number == calls->tkill || number == calls->tgkill) {
    write_everything();
  } else {
    records_before_call();
  }
  if (number == calls->exit) end_thread();
  pthread_mutex_unlock(&mutex);
}

/* A child starts with empty counts: those before the fork are its parent's. It has one thread. */
static void child_begins(void) {
  process = system_process();
  system_log(directory);
  threads = self;
  self->next = NULL;
  begin_trace(self);
  core_switch(&core);
  core_restart(&core);
  records_begin(records_path, 0);
}

static void returned(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result) {
  (void)id, (void)cpu, (void)result;
  if (executes(number)) { /* it has failed */
    system_withdraw();
    records_begin(records_path, 0);
  }
  if (system_process() != process) child_begins();
}

/* QEMU has stopped all threads. */
static void ended(qemu_plugin_id_t id, void* data) {
  struct thread* t;
  (void)id, (void)data;
  for (t = threads; t; t = t->next) execute(t);
  end_slice(&core);
  records_end();
  over = 1;
}

/* ---- The beginning ---- */

static void* allocate(const char* what, size_t bytes) {
  (void)what;
  return aligned_alloc(64, (bytes + 64) & ~(size_t)63);
}

/* Low addresses keep their places while there are others. */
static int keeps_its_place(uint64_t start, uint64_t end) {
  (void)end;
  return start >= ADDRESS_LIMIT;
}

static void exhausted(void) {
  system_complain("memory", "it is in too many separate regions of 16 MiB");
  _Exit(125);
}

/* Reads the model, and returns whether it is right. */
static int read_model(struct model* model) {
  static char text[MAX_MODEL_BYTES];
  char path[4096];
  FILE* file;
  size_t length;
  snprintf(path, sizeof path, "%s/model", directory);
  file = fopen(path, "re");
  if (!file) return 0;
  length = fread(text, 1, sizeof text, file);
  fclose(file);
  return model_parse(text, length, model) == 0;
}

static void begin(const struct model* model) {
  if (is_64) address_map_init(&map, keeps_its_place, exhausted, allocate);
  core_init(&core, model, allocate, end_slice);
  blocks_init(&core.model, is_64, is_64 ? &map : NULL);
  snprintf(records_path, sizeof records_path, "%s/records", directory);
  records_begin(records_path, 0);
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info* info, int argc,
                                 char** argv) {
  static const char option[] = "directory=";
  struct model model;
  if (argc != 1 || strncmp(argv[0], option, strlen(option)) != 0) {
    fprintf(stderr, "tacho's simulator: directory=DIR is missing\n");
    return 1;
  }
  directory = strdup(argv[0] + strlen(option));
  is_64 = strcmp(info->target_name, "aarch64") == 0;
  calls = is_64 ? &calls_of_a64 : &calls_of_a32;
  if (!is_64 && strcmp(info->target_name, "arm") != 0) {
    fprintf(stderr, "tacho's simulator: it executes no code for '%s'\n", info->target_name);
    return 1;
  }
  process = system_process();
  system_log(directory);
  if (!read_model(&model)) {
    system_complain("model", "it is wrong: tacho and its simulator have different versions");
    return 1;
  }
  begin(&model);
  qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
  qemu_plugin_register_vcpu_syscall_cb(id, called);
  qemu_plugin_register_vcpu_syscall_ret_cb(id, returned);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
