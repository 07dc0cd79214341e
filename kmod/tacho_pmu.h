/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the core and the architectures say to each other. An architecture is a few functions, each of
 * which reads or writes registers of the CPU that it runs on; when and why is the core's matter.
 */
#ifndef TACHO_PMU_H
#define TACHO_PMU_H

#include <linux/bits.h>
#include <linux/types.h>

/* In masks of counters: the cycle counter. Bit n is event counter n. */
#define TACHO_CYCLES BIT(31)
/* In what is running: the switch of all counters. Beside it stands TACHO_CYCLES. */
#define TACHO_COUNTERS BIT(0)

struct tacho_arch {
	const char *name;
	/* How many event counters this CPU has; -ENODEV where it has no such PMU. */
	int (*probe)(void);
	/* The register that opens the counters to user space. */
	u32 (*access)(void);
	void (*set_access)(u32 access);
	/* What to put there for all counters, and for the cycle counter alone: 0 where that can't be. */
	u32 (*access_to_all)(void);
	u32 (*access_to_cycles)(void);
	/*
	 * The counters whose overflow interrupt is on: perf's. User space can't set it, but for ARMv6.
	 * Bit 32 is the instruction counter that PMUv3.9 may have.
	 */
	u64 (*held)(void);
	/* TACHO_COUNTERS and TACHO_CYCLES, as they are and as they shall be. */
	u32 (*running)(void);
	void (*run)(u32 running);
	/* Sets every counter to zero. */
	void (*reset)(void);
	/* The low bits of the cycle counter. */
	u32 (*cycles)(void);
};

extern const struct tacho_arch tacho_armv6;
extern const struct tacho_arch tacho_armv7;
extern const struct tacho_arch tacho_aarch64;

#endif
