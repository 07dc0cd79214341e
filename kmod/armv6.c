// SPDX-License-Identifier: GPL-2.0
/*
 * ARMv6: the ARM1176's system performance monitor in c15 (ARM1176JZF-S Technical Reference Manual,
 * 3.2.51 to 3.2.55). It has two event counters and the cycle counter. One control register holds
 * their switches and their interrupt enables, so user space gets access to all of it or to nothing.
 */
#include <linux/errno.h>

#include <asm/barrier.h>
#include <asm/cp15.h>
#include <asm/cputype.h>

#include "tacho_pmu.h"

#define PMNC __ACCESS_CP15(c15, 0, c12, 0)
#define CCR __ACCESS_CP15(c15, 0, c12, 1)
#define ACCESS_VALIDATION __ACCESS_CP15(c15, 0, c9, 0)

#define EVENT_COUNTERS 2

#define PMNC_E BIT(0)
#define PMNC_P BIT(1)
#define PMNC_C BIT(2)
#define PMNC_INTERRUPT_0 BIT(4)
#define PMNC_INTERRUPT_1 BIT(5)
#define PMNC_INTERRUPT_CYCLES BIT(6)
/* Overflow flags. Writing a one clears a flag. */
#define PMNC_FLAGS (BIT(8) | BIT(9) | BIT(10))

/* Access validation control: user mode may access the monitor. */
#define ACCESS_V BIT(0)

static u32 pmnc(void)
{
	return read_sysreg(PMNC) & ~PMNC_FLAGS;
}

static void set_pmnc(u32 value)
{
	write_sysreg(value, PMNC);
}

static int probe(void)
{
	return read_cpuid_part() == ARM_CPU_PART_ARM1176 ? EVENT_COUNTERS : -ENODEV;
}

static u32 access(void)
{
	return read_sysreg(ACCESS_VALIDATION) & ACCESS_V;
}

static void set_access(u32 value)
{
	write_sysreg((read_sysreg(ACCESS_VALIDATION) & ~ACCESS_V) | value, ACCESS_VALIDATION);
	isb();
}

static u32 access_to_all(void)
{
	return ACCESS_V;
}

static u32 access_to_cycles(void)
{
	return 0;
}

static u64 held(void)
{
	u32 value = pmnc();

	return (value & PMNC_INTERRUPT_0 ? BIT(0) : 0) | (value & PMNC_INTERRUPT_1 ? BIT(1) : 0) |
	       (value & PMNC_INTERRUPT_CYCLES ? TACHO_CYCLES : 0);
}

static u32 running(void)
{
	return pmnc() & PMNC_E ? TACHO_COUNTERS | TACHO_CYCLES : 0;
}

static void run(u32 wanted)
{
	set_pmnc((pmnc() & ~PMNC_E) | (wanted & TACHO_COUNTERS ? PMNC_E : 0));
}

static void reset(void)
{
	set_pmnc(pmnc() | PMNC_P | PMNC_C);
}

static u32 cycles(void)
{
	return read_sysreg(CCR);
}

const struct tacho_arch tacho_armv6 = {
	.name = "armv6",
	.probe = probe,
	.access = access,
	.set_access = set_access,
	.access_to_all = access_to_all,
	.access_to_cycles = access_to_cycles,
	.held = held,
	.running = running,
	.run = run,
	.reset = reset,
	.cycles = cycles,
};
