/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the core and the architectures. An architecture is a set of functions. Each
 * reads or writes registers of the CPU that it runs on. The core decides when to call them.
 */
#ifndef TACHO_PMU_H
#define TACHO_PMU_H

#include <linux/bits.h>
#include <linux/types.h>

/*
 * In masks of counters: bit 31 is the cycle counter, bit n is event counter n, and bit 32 is the
 * instruction counter of PMUv3.9.
 */
#define TACHO_CYCLES BIT_ULL(31)
/*
 * In masks of switches, where a counter's bit is its own switch: the switch of all counters, and
 * the overflow interrupts that perf has not switched on (ARMv6, where user space can).
 */
#define TACHO_COUNTERS BIT_ULL(63)
#define TACHO_INTERRUPTS BIT_ULL(62)

struct tacho_arch {
	const char *name;
	/* Returns the number of this CPU's event counters. -ENODEV: no PMU of this architecture. */
	int (*probe)(void);
	/* Read and write the register that opens the counters to user space. */
	u32 (*access)(void);
	void (*set_access)(u32 access);
	/* Its value for all counters, and for the cycle counter alone (0: the hardware can't). */
	u32 (*access_to_all)(void);
	u32 (*access_to_cycles)(void);
	/* Optional. Called once, before held(): finds perf's driver. It may sleep. */
	void (*find_perf)(void);
	/*
	 * The counters that perf holds. These are the ones whose overflow interrupt is on: user
	 * space can't switch an interrupt on, except on ARMv6, which asks perf's driver.
	 */
	u64 (*held)(void);
	/*
	 * Read the switches, and turn some on and others off. A counter that is turned off also
	 * loses its overflow flag.
	 */
	u64 (*running)(void);
	void (*run)(u64 on, u64 off);
	/*
	 * Read and write the bits of the control register that change how counters count, such as
	 * the divider by 64. perf does not set them before it counts: it relies on their values
	 * after a reset.
	 */
	u64 (*control)(void);
	void (*set_control)(u64 control);
	/* Sets every counter to zero. */
	void (*reset)(void);
	/* The low 32 bits of the cycle counter. */
	u32 (*cycles)(void);
};

extern const struct tacho_arch tacho_armv6;
extern const struct tacho_arch tacho_armv7;
extern const struct tacho_arch tacho_aarch64;

#endif
