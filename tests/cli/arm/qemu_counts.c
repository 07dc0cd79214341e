/* A plugin for QEMU that counts instructions, and those that load and that store, as QEMU executes
 * them. It decodes nothing: the truth for test_simulated_arm.py. Its option out=FILE receives the
 * three counts. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "qemu_plugin.h"

/* Two functions that the simulator does not use. */
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn* insn,
                                            void (*executed)(unsigned cpu, void* data), int flags,
                                            void* data);
bool qemu_plugin_mem_is_store(uint32_t info);

int qemu_plugin_version = 1;
static uint64_t instructions, loads, stores;
static bool has_loaded, has_stored; /* the current instruction */
static char path[4096];

static void executed(unsigned cpu, void* data) {
  (void)cpu, (void)data;
  ++instructions;
  has_loaded = has_stored = false;
}

static void accessed(unsigned cpu, uint32_t info, uint64_t address, void* data) {
  (void)cpu, (void)address, (void)data;
  if (qemu_plugin_mem_is_store(info)) {
    stores += !has_stored;
    has_stored = true;
  } else {
    loads += !has_loaded;
    has_loaded = true;
  }
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
  size_t i;
  (void)id;
  for (i = 0; i < qemu_plugin_tb_n_insns(tb); ++i) {
    struct qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(tb, i);
    qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, QEMU_PLUGIN_CB_NO_REGS, NULL);
    qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                     NULL);
  }
}

static void ended(qemu_plugin_id_t id, void* data) {
  FILE* const out = fopen(path, "w");
  (void)id, (void)data;
  if (!out) return;
  fprintf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", instructions, loads, stores);
  fclose(out);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info* info, int argc, char** argv) {
  (void)info;
  if (argc != 1 || strncmp(argv[0], "out=", 4) != 0) return 1;
  snprintf(path, sizeof path, "%s", argv[0] + 4);
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
