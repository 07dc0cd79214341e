// SPDX-License-Identifier: GPL-2.0
/*
 * ARMv7, and ARMv8 with a 32-bit kernel: the performance monitors in c9 (ARM Architecture Reference
 * Manual ARMv7-A, C12). Before PMUv3, user space gets access to all counters or to none.
 */
#include <linux/errno.h>

#include <asm/barrier.h>
#include <asm/cp15.h>
#include <asm/cputype.h>

#include "tacho_pmu.h"

#define PMCR __ACCESS_CP15(c9, 0, c12, 0)
#define PMCNTENSET __ACCESS_CP15(c9, 0, c12, 1)
#define PMCNTENCLR __ACCESS_CP15(c9, 0, c12, 2)
#define PMOVSR __ACCESS_CP15(c9, 0, c12, 3)
#define PMSELR __ACCESS_CP15(c9, 0, c12, 5)
#define PMCCNTR __ACCESS_CP15(c9, 0, c13, 0)
#define PMXEVTYPER __ACCESS_CP15(c9, 0, c13, 1)
#define PMUSERENR __ACCESS_CP15(c9, 0, c14, 0)
#define PMINTENSET __ACCESS_CP15(c9, 0, c14, 1)

/* ID_DFR0.PerfMon. 0 means unknown: the Cortex-A8 and A9 report it although they have PMUv1. */
#define PERFMON_SHIFT 24
#define PERFMON_V1 0x1
#define PERFMON_V2 0x2
#define PERFMON_V3 0x3
#define PERFMON_NONE 0xf

#define MIDR_ARCHITECTURE_SHIFT 16
#define MIDR_HAS_ID_REGISTERS 0xf

#define PMUSERENR_EN BIT(0)
#define PMUSERENR_CR BIT(2) /* PMUv3 */

#define PMCR_E BIT(0)
#define PMCR_P BIT(1)
#define PMCR_C BIT(2)
#define PMCR_N_SHIFT 11
#define PMCR_N_MASK 0x1f
/* D (divider), X, DP; on ARMv8 also LC and LP (lengths of counters). */
#define PMCR_CONTROL GENMASK(10, 3)

#define PMSELR_CYCLES 31

/* The version of the performance monitors; 0 if there are none. */
static u32 version(void)
{
	u32 perfmon;

	if (((read_cpuid_id() >> MIDR_ARCHITECTURE_SHIFT) & 0xf) != MIDR_HAS_ID_REGISTERS)
		return 0;
	perfmon = (read_cpuid_ext(CPUID_EXT_DFR0) >> PERFMON_SHIFT) & 0xf;
	if (perfmon == 0 && (read_cpuid_part() == ARM_CPU_PART_CORTEX_A8 ||
			     read_cpuid_part() == ARM_CPU_PART_CORTEX_A9))
		return PERFMON_V1;
	return perfmon == PERFMON_NONE ? 0 : perfmon;
}

static int probe(void)
{
	return version() ? (read_sysreg(PMCR) >> PMCR_N_SHIFT) & PMCR_N_MASK : -ENODEV;
}

static u32 access(void)
{
	return read_sysreg(PMUSERENR);
}

static void set_access(u32 value)
{
	write_sysreg(value, PMUSERENR);
	isb();
}

static u32 access_to_all(void)
{
	return PMUSERENR_EN;
}

static u32 access_to_cycles(void)
{
	return version() >= PERFMON_V3 ? PMUSERENR_CR : 0;
}

static u64 held(void)
{
	return read_sysreg(PMINTENSET);
}

static u64 running(void)
{
	return (read_sysreg(PMCR) & PMCR_E ? TACHO_COUNTERS : 0) | read_sysreg(PMCNTENSET);
}

/* perf may have restricted the cycle counter to user mode. PMUv1 has no filter. */
static void count_cycles_everywhere(void)
{
	u32 selected;

	if (version() < PERFMON_V2)
		return;
	/* User space may have selected a counter and not used it yet. */
	selected = read_sysreg(PMSELR);
	write_sysreg(PMSELR_CYCLES, PMSELR);
	isb();
	write_sysreg(0, PMXEVTYPER);
	write_sysreg(selected, PMSELR);
	isb();
}

static void run(u64 on, u64 off)
{
	u32 pmcr = read_sysreg(PMCR);

	if (on & TACHO_CYCLES)
		count_cycles_everywhere();
	write_sysreg(read_sysreg(PMCNTENSET) & (u32)off, PMCNTENCLR);
	write_sysreg(read_sysreg(PMOVSR) & (u32)off, PMOVSR);
	write_sysreg((u32)on, PMCNTENSET);
	if (on & TACHO_COUNTERS)
		write_sysreg(pmcr | PMCR_E, PMCR);
	else if (off & TACHO_COUNTERS)
		write_sysreg(pmcr & ~PMCR_E, PMCR);
	isb();
}

static u64 control(void)
{
	return read_sysreg(PMCR) & PMCR_CONTROL;
}

static void set_control(u64 value)
{
	write_sysreg((read_sysreg(PMCR) & ~PMCR_CONTROL) | (u32)value, PMCR);
	isb();
}

static void reset(void)
{
	write_sysreg(read_sysreg(PMCR) | PMCR_P | PMCR_C, PMCR);
	isb();
}

static u32 cycles(void)
{
	isb();
	return read_sysreg(PMCCNTR);
}

const struct tacho_arch tacho_armv7 = {
	.name = "armv7",
	.probe = probe,
	.access = access,
	.set_access = set_access,
	.access_to_all = access_to_all,
	.access_to_cycles = access_to_cycles,
	.held = held,
	.running = running,
	.run = run,
	.control = control,
	.set_control = set_control,
	.reset = reset,
	.cycles = cycles,
};
