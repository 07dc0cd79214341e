// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: PMUv3 through its system registers (Arm Architecture Reference Manual, D13 "Performance
 * Monitors registers"). The cycle counter can be opened without the others.
 */
#include <linux/errno.h>

#include <asm/barrier.h>
#include <asm/sysreg.h>
#include <asm/virt.h>

#include "tacho_pmu.h"

/* ID_AA64DFR0_EL1.PMUVer: no PMU, and a PMU that does not follow the architecture. */
#define PMUVER_SHIFT 8
#define PMUVER_NONE 0x0
#define PMUVER_OTHER 0xf

#define PMUSERENR_EN BIT(0)
#define PMUSERENR_CR BIT(2)

#define PMCR_E BIT(0)
#define PMCR_P BIT(1)
#define PMCR_C BIT(2)
#define PMCR_N_SHIFT 11
#define PMCR_N_MASK 0x1f
/* D (divider), X, DP, LC, LP (lengths of counters), FZO and FZS (when they freeze). */
#define PMCR_CONTROL (GENMASK_ULL(10, 3) | BIT_ULL(32))

/* PMCCFILTR_EL0: also count in EL2. Zero counts in EL0 and EL1. */
#define PMCCFILTR_NSH BIT(27)

static int probe(void)
{
	u32 version = (read_sysreg(id_aa64dfr0_el1) >> PMUVER_SHIFT) & 0xf;

	if (version == PMUVER_NONE || version == PMUVER_OTHER)
		return -ENODEV;
	return (read_sysreg(pmcr_el0) >> PMCR_N_SHIFT) & PMCR_N_MASK;
}

static u32 access(void)
{
	return read_sysreg(pmuserenr_el0);
}

static void set_access(u32 value)
{
	write_sysreg(value, pmuserenr_el0);
	isb();
}

static u32 access_to_all(void)
{
	return PMUSERENR_EN;
}

static u32 access_to_cycles(void)
{
	return PMUSERENR_CR;
}

static u64 held(void)
{
	return read_sysreg(pmintenset_el1);
}

static u64 running(void)
{
	return (read_sysreg(pmcr_el0) & PMCR_E ? TACHO_COUNTERS : 0) | read_sysreg(pmcntenset_el0);
}

static void run(u64 on, u64 off)
{
	u64 pmcr = read_sysreg(pmcr_el0);

	/* perf may have restricted it to user mode. A kernel in EL2 is counted, too. */
	if (on & TACHO_CYCLES)
		write_sysreg(is_kernel_in_hyp_mode() ? PMCCFILTR_NSH : 0, pmccfiltr_el0);
	write_sysreg(read_sysreg(pmcntenset_el0) & off, pmcntenclr_el0);
	write_sysreg(read_sysreg(pmovsclr_el0) & off, pmovsclr_el0);
	write_sysreg(on & ~TACHO_COUNTERS, pmcntenset_el0);
	if (on & TACHO_COUNTERS)
		write_sysreg(pmcr | PMCR_E, pmcr_el0);
	else if (off & TACHO_COUNTERS)
		write_sysreg(pmcr & ~(u64)PMCR_E, pmcr_el0);
	isb();
}

static u64 control(void)
{
	return read_sysreg(pmcr_el0) & PMCR_CONTROL;
}

static void set_control(u64 value)
{
	write_sysreg((read_sysreg(pmcr_el0) & ~PMCR_CONTROL) | value, pmcr_el0);
	isb();
}

static void reset(void)
{
	write_sysreg(read_sysreg(pmcr_el0) | PMCR_P | PMCR_C, pmcr_el0);
	isb();
}

static u32 cycles(void)
{
	isb();
	return read_sysreg(pmccntr_el0);
}

const struct tacho_arch tacho_aarch64 = {
	.name = "aarch64",
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
