/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface between the core and the architectures. An architecture is a set of functions. Each
 * reads or writes registers of the CPU that it runs on. The core decides when to call them.
 */
#ifndef TACHO_PMU_H
#define TACHO_PMU_H

#include <linux/bits.h>
#include <linux/types.h>

/* In masks of counters: bit 31 is the cycle counter, bit n is event counter n. */
#define TACHO_CYCLES BIT(31)
/* In masks of switches: the switch of all counters. TACHO_CYCLES is the cycle counter's own. */
#define TACHO_COUNTERS BIT(0)

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
	/*
	 * The counters whose overflow interrupt is on. perf holds these: user space can't switch an
	 * interrupt on, except on ARMv6. Bit 32 is the instruction counter of PMUv3.9.
	 */
	u64 (*held)(void);
	/* Read and write the two switches (TACHO_COUNTERS, TACHO_CYCLES). */
	u32 (*running)(void);
	void (*run)(u32 running);
	/* Sets every counter to zero. */
	void (*reset)(void);
	/* The low 32 bits of the cycle counter. */
	u32 (*cycles)(void);
};

extern const struct tacho_arch tacho_armv6;
extern const struct tacho_arch tacho_armv7;
extern const struct tacho_arch tacho_aarch64;

#endif
