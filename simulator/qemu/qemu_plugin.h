/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of QEMU's interface for plugins, version 1, that the simulator uses ("QEMU TCG Plugins"
 * in QEMU's manual). Distributions do not package QEMU's own header. */
#ifndef TACHO_QEMU_PLUGIN_H
#define TACHO_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;   /* a block of code that is being translated */
struct qemu_plugin_insn; /* an instruction of it */

/* Only its first member is used. */
struct qemu_info {
  const char* target_name;
};

enum { QEMU_PLUGIN_CB_NO_REGS = 0 }; /* the callback reads no registers */
enum { QEMU_PLUGIN_MEM_RW = 3 };     /* for loads and stores */

/* What QEMU looks for in a plugin. */
extern int qemu_plugin_version;
int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info* info, int argc, char** argv);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* tb);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* tb, size_t number);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn* insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn* insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn* insn);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*translated)(qemu_plugin_id_t id,
                                                              struct qemu_plugin_tb* tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb* tb,
                                          void (*executed)(unsigned cpu, void* data), int flags,
                                          void* data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn* insn,
                                      void (*accessed)(unsigned cpu, uint32_t info,
                                                       uint64_t address, void* data),
                                      int flags, int kinds, void* data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
                                          void (*called)(qemu_plugin_id_t id, unsigned cpu,
                                                         int64_t number, uint64_t a1, uint64_t a2,
                                                         uint64_t a3, uint64_t a4, uint64_t a5,
                                                         uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
                                              void (*returned)(qemu_plugin_id_t id, unsigned cpu,
                                                               int64_t number, int64_t result));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
                                    void (*ended)(qemu_plugin_id_t id, void* data), void* data);

#endif
