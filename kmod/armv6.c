// SPDX-License-Identifier: GPL-2.0
/*
 * ARMv6: the ARM1176's system performance monitor in c15 (ARM1176JZF-S Technical Reference Manual,
 * 3.2.51 to 3.2.55). It has two event counters and the cycle counter. One control register holds
 * their switches and their interrupt enables, so user space gets access to all of it or to nothing.
 *
 * A user can therefore switch the overflow interrupts on, as perf does. So the interrupts do not
 * say who holds a counter. perf's driver says it: it keeps a mask of its counters, which it changes
 * on this CPU with interrupts off. An interrupt that is on while perf holds nothing is a user's.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/percpu.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/string.h>

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
/* The divider by 64, and the export of events to the trace macrocell. */
#define PMNC_CONTROL (BIT(3) | BIT(11))
#define PMNC_INTERRUPT_0 BIT(4)
#define PMNC_INTERRUPT_1 BIT(5)
#define PMNC_INTERRUPT_CYCLES BIT(6)
#define PMNC_INTERRUPTS (PMNC_INTERRUPT_0 | PMNC_INTERRUPT_1 | PMNC_INTERRUPT_CYCLES)
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

#ifdef CONFIG_ARM_PMU
static struct arm_pmu *perf;
static bool no_perf;

/* The driver is built in and has no way to go, so the pointer stays valid. */
static void find_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL);

	if (IS_ERR(event)) {
		no_perf = PTR_ERR(event) == -ENOENT;
		return;
	}
	if (strstarts(event->pmu->name, "armv6"))
		perf = to_arm_pmu(event->pmu);
	pr_info("perf's driver %s %s which counters it holds\n", event->pmu->name,
		perf ? "says" : "is unknown: the interrupts say");
	perf_event_release_kernel(event);
}

/* Returns whether the driver says what perf holds, which is stored in *held. */
static bool ask_perf(u64 *held)
{
	const unsigned long *used;

	*held = 0;
	if (!perf)
		return no_perf;
	/* Its counter 0 is the cycle counter, and the event counters follow. */
	used = this_cpu_ptr(perf->hw_events)->used_mask;
	*held = (used[0] >> 1) & (BIT(EVENT_COUNTERS) - 1);
	if (test_bit(0, used))
		*held |= TACHO_CYCLES;
	return true;
}
#else
static void find_perf(void)
{
}

static bool ask_perf(u64 *held)
{
	*held = 0;
	return true;
}
#endif

/* Where perf's driver is not the known one, interrupts that are on have to count as perf's. */
static u64 held(void)
{
	u32 value;
	u64 held;

	if (ask_perf(&held))
		return held;
	value = pmnc();
	return (value & PMNC_INTERRUPT_0 ? BIT_ULL(0) : 0) |
	       (value & PMNC_INTERRUPT_1 ? BIT_ULL(1) : 0) |
	       (value & PMNC_INTERRUPT_CYCLES ? TACHO_CYCLES : 0);
}

static u64 running(void)
{
	u32 value = pmnc();

	return (value & PMNC_E ? TACHO_COUNTERS | TACHO_CYCLES : 0) |
	       (value & PMNC_INTERRUPTS && !held() ? TACHO_INTERRUPTS : 0);
}

static void run(u64 on, u64 off)
{
	u32 value = pmnc();

	if (off & TACHO_INTERRUPTS)
		value &= ~PMNC_INTERRUPTS;
	if (on & TACHO_COUNTERS)
		value |= PMNC_E;
	else if (off & TACHO_COUNTERS)
		value = (value & ~PMNC_E) | PMNC_FLAGS;
	set_pmnc(value);
}

static u64 control(void)
{
	return pmnc() & PMNC_CONTROL;
}

static void set_control(u64 value)
{
	set_pmnc((pmnc() & ~PMNC_CONTROL) | (u32)value);
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
	.find_perf = find_perf,
	.held = held,
	.running = running,
	.run = run,
	.control = control,
	.set_control = set_control,
	.reset = reset,
	.cycles = cycles,
};
