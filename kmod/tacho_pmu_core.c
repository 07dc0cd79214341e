// SPDX-License-Identifier: GPL-2.0
/*
 * tacho_pmu: lets user space read (and set up) the performance counters of ARM processors, on every
 * CPU. Each CPU has its own setting: the register that opens the counters to user space, and the
 * two switches that start the cycle counter. The module applies the setting when it is loaded and
 * when a CPU comes online. It checks the setting every few milliseconds and after each sleep of the
 * CPU. It restores the values that it found when it is unloaded or the CPU goes offline.
 *
 * The counters belong to the kernel. While perf holds counters, the module takes its access away,
 * so that no user can change them. It applies its setting again after perf has released the
 * counters. /proc/tacho_pmu reports the state of each CPU, so that user space never uses a register
 * that it may not.
 *
 * A CPU's state is read and written only on that CPU, with interrupts off, so no locks are needed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "tacho_pmu.h"

#define TACHO_VERSION "0.1.0"
/* The version of the status file. It grows when readers of this version could misread it. */
#define INTERFACE 1
/* A status interrupts every CPU, and everybody may read it. So it is made once in this time. */
#define STATUS_GAP_US 1000

static char *access = "all";
module_param(access, charp, 0444);
MODULE_PARM_DESC(access,
		 "what users may read: all counters (default), or cycles: that counter alone");
static bool reset;
module_param(reset, bool, 0444);
MODULE_PARM_DESC(reset,
		 "set the counters to zero at load and when a CPU comes online (default: no)");
static unsigned int recheck_ms = 10;
module_param(recheck_ms, uint, 0444);
MODULE_PARM_DESC(recheck_ms, "how often each CPU's setting is checked, 1 to 1000 (default: 10)");

enum state { OFFLINE, ON, PERF, NO_PMU };
static const char *const state_names[] = { "offline", "on", "perf", "no-pmu" };

struct status {
	enum state state;
	bool counting; /* the cycle counter advanced after the setting was applied last */
	int counters;
	u64 held;
	u64 disturbed;
};

struct tacho_cpu {
	struct status is;
	struct status shown; /* protected by status_lock */
	struct hrtimer timer;
	/* The values that were found, which are restored. */
	u32 found_access;
	u64 found_running;
	u64 found_control;
};

static DEFINE_PER_CPU(struct tacho_cpu, cpus);
static const struct tacho_arch *arch;
static u32 wanted_access;
static enum cpuhp_state hotplug;
static DEFINE_MUTEX(status_lock);
static ktime_t status_begun; /* when the CPUs were asked last; protected by status_lock */

/* The reads take at least 16 ticks, even if a user has set the divider by 64. */
static bool advances(void)
{
	u32 first = arch->cycles();
	int i;

	for (i = 0; i < 1024; i++)
		if (arch->cycles() != first)
			return true;
	return false;
}

/* Applies the setting. If the register does not keep it (an emulator's dummy), there is no PMU. */
static void set(struct tacho_cpu *cpu)
{
	arch->run(TACHO_COUNTERS | TACHO_CYCLES, TACHO_INTERRUPTS);
	arch->set_access(wanted_access);
	cpu->is.state = arch->access() == wanted_access ? ON : NO_PMU;
	cpu->is.counting = cpu->is.state == ON && advances();
}

static bool is_set(void)
{
	return arch->access() == wanted_access &&
	       (arch->running() & (TACHO_COUNTERS | TACHO_CYCLES | TACHO_INTERRUPTS)) ==
		       (TACHO_COUNTERS | TACHO_CYCLES);
}

/* Restores the access, unless another one was set meanwhile, and how counters count. */
static void restore_access_and_control(struct tacho_cpu *cpu)
{
	if (arch->access() == wanted_access)
		arch->set_access(cpu->found_access);
	if (arch->control() != cpu->found_control)
		arch->set_control(cpu->found_control);
}

/*
 * Checks this CPU's setting. Applies it again if it was changed and perf holds no counter. If perf
 * holds one, no user may change it, and it counts as perf expects.
 */
static void look(struct tacho_cpu *cpu)
{
	if (cpu->is.state != ON && cpu->is.state != PERF)
		return;
	cpu->is.held = arch->held();
	if (!cpu->is.held && cpu->is.state == ON && is_set())
		return;
	cpu->is.disturbed++;
	if (!cpu->is.held) {
		set(cpu);
		return;
	}
	cpu->is.state = PERF;
	restore_access_and_control(cpu);
}

static enum hrtimer_restart recheck(struct hrtimer *timer)
{
	look(container_of(timer, struct tacho_cpu, timer));
	hrtimer_forward_now(timer, ms_to_ktime(recheck_ms));
	return HRTIMER_RESTART;
}

static void prepare(struct hrtimer *timer)
{
#ifdef HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, recheck, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = recheck;
#endif
}

/* Starts to manage a CPU. What is found while perf holds counters is perf's, and is not saved. */
static void take(struct tacho_cpu *cpu)
{
	cpu->is.counters = arch->probe();
	if (cpu->is.counters < 0) {
		cpu->is.state = NO_PMU;
		return;
	}
	cpu->is.held = arch->held();
	cpu->found_access = cpu->is.held ? 0 : arch->access();
	cpu->found_running = cpu->is.held ? 0 : arch->running() & ~TACHO_INTERRUPTS;
	cpu->found_control = arch->control();
	if (cpu->is.held) {
		cpu->is.state = PERF;
		cpu->is.disturbed++;
		return;
	}
	if (reset)
		arch->reset();
	set(cpu);
}

/*
 * Restores the values that were found, and stops every counter that did not run then. Counters that
 * perf holds, and an access that the module did not set, stay unchanged. Returns the access
 * register's final value.
 */
static u32 give_back(struct tacho_cpu *cpu)
{
	cpu->is.held = arch->held();
	restore_access_and_control(cpu);
	if (cpu->is.held)
		arch->run(0, ~(cpu->is.held | TACHO_COUNTERS | TACHO_INTERRUPTS));
	else
		arch->run(cpu->found_running, ~cpu->found_running);
	return arch->access();
}

static int came_online(unsigned int number)
{
	struct tacho_cpu *cpu = this_cpu_ptr(&cpus);
	unsigned long flags;

	prepare(&cpu->timer);
	local_irq_save(flags);
	take(cpu);
	local_irq_restore(flags);
	if (cpu->is.state == NO_PMU) {
		pr_warn("cpu %u: %s: no user access\n", number,
			cpu->is.counters < 0 ? "no PMU"
					     : "the PMU's registers do not keep what is written");
		return 0;
	}
	hrtimer_start(&cpu->timer, ms_to_ktime(recheck_ms), HRTIMER_MODE_REL_PINNED_HARD);
	if (cpu->is.state == PERF)
		pr_warn("cpu %u: perf holds counters 0x%08llx: nothing is set until it lets go\n",
			number, cpu->is.held);
	else
		pr_info("cpu %u: user access to %s is on, %d event counters, the cycle counter %s; the register was 0x%x\n",
			number,
			wanted_access == arch->access_to_all() ? "all counters"
							       : "the cycle counter",
			cpu->is.counters, cpu->is.counting ? "counts" : "does not count",
			cpu->found_access);
	return 0;
}

static int goes_offline(unsigned int number)
{
	struct tacho_cpu *cpu = this_cpu_ptr(&cpus);
	unsigned long flags;
	u32 left = 0;

	hrtimer_cancel(&cpu->timer);
	local_irq_save(flags);
	if (cpu->is.counters >= 0)
		left = give_back(cpu);
	cpu->is.state = OFFLINE;
	cpu->is.disturbed++; /* a reader that counted there sees it when the CPU is back */
	local_irq_restore(flags);
	if (cpu->is.counters >= 0)
		pr_info("cpu %u: let go: the user access register is 0x%x%s\n", number, left,
			cpu->is.held ? "; perf holds counters, which stay as they are" : "");
	return 0;
}

/* Runs after perf's own notifier (priority -1), which starts perf's counters again. */
static int woke_up(struct notifier_block *block, unsigned long event, void *data)
{
	if (event == CPU_PM_EXIT || event == CPU_PM_ENTER_FAILED)
		look(this_cpu_ptr(&cpus));
	return NOTIFY_OK;
}

static struct notifier_block power = { .notifier_call = woke_up, .priority = -1 };

static void look_and_copy(void *unused)
{
	struct tacho_cpu *cpu = this_cpu_ptr(&cpus);

	look(cpu);
	cpu->shown = cpu->is;
}

/*
 * Asks every CPU for its state, unless this was begun after the reader came. Waits first if they
 * were asked a moment ago. An older state would not do: a reader that measured in between would
 * take it for the state at the end of its measurement.
 */
static void ask_cpus(ktime_t came)
{
	unsigned int number;
	s64 ago;

	if (ktime_after(status_begun, came))
		return;
	ago = ktime_us_delta(ktime_get(), status_begun);
	if (ago < STATUS_GAP_US)
		usleep_range(STATUS_GAP_US - ago, STATUS_GAP_US - ago + 100);
	cpus_read_lock();
	for_each_present_cpu(number)
		per_cpu(cpus, number).shown = (struct status){ .state = OFFLINE };
	status_begun = ktime_get();
	on_each_cpu(look_and_copy, NULL, true);
	cpus_read_unlock();
}

static void show_cpu(struct seq_file *file, unsigned int number)
{
	const struct status is = per_cpu(cpus, number).shown;

	seq_printf(file, "cpu %u state=%s", number, state_names[is.state]);
	if (is.state != OFFLINE) {
		seq_printf(file, " counters=%d counting=%s", max(is.counters, 0),
			   is.state == ON && is.counting ? "yes" : "no");
		if (is.state == NO_PMU)
			seq_puts(file, " perf=unknown");
		else
			seq_printf(file, " perf=0x%08llx", is.held);
		seq_printf(file, " disturbed=%llu", is.disturbed);
	}
	seq_putc(file, '\n');
}

static int show(struct seq_file *file, void *data)
{
	const ktime_t came = ktime_get();
	unsigned int number;

	if (mutex_lock_killable(&status_lock))
		return -EINTR;
	ask_cpus(came);
	seq_printf(file, "interface %d\nmodule %s\narchitecture %s\naccess %s\n", INTERFACE,
		   TACHO_VERSION, arch->name,
		   wanted_access == arch->access_to_all() ? "all" : "cycles");
	for_each_present_cpu(number)
		show_cpu(file, number);
	mutex_unlock(&status_lock);
	return 0;
}

/* Returns the architecture of the CPU that this runs on, or NULL. */
static const struct tacho_arch *find_arch(void)
{
	static const struct tacho_arch *const known[] = {
#if defined(CONFIG_ARM64)
		&tacho_aarch64,
#elif defined(CONFIG_ARM)
		&tacho_armv7,
		&tacho_armv6,
#else
#error "tacho_pmu is for ARM processors only"
#endif
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i]->probe() >= 0)
			return known[i];
	return NULL;
}

static int choose_access(void)
{
	bool all = sysfs_streq(access, "all");

	if (!all && !sysfs_streq(access, "cycles")) {
		pr_err("access=%s is unknown: give all or cycles\n", access);
		return -EINVAL;
	}
	if (!all && !arch->access_to_cycles())
		pr_warn("access=cycles: this processor can't open the cycle counter alone: all counters are open\n");
	wanted_access =
		all || !arch->access_to_cycles() ? arch->access_to_all() : arch->access_to_cycles();
	return 0;
}

static int __init load(void)
{
	int result;

	if (recheck_ms < 1 || recheck_ms > 1000) {
		pr_err("recheck_ms=%u is out of range: give 1 to 1000\n", recheck_ms);
		return -EINVAL;
	}
	arch = find_arch();
	if (!arch) {
		pr_err("this processor has no PMU that the module knows\n");
		return -ENODEV;
	}
	result = choose_access();
	if (result)
		return result;
	if (arch->find_perf)
		arch->find_perf();
	result = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "tacho_pmu:online", came_online,
				   goes_offline);
	if (result < 0) {
		pr_err("no room for a hotplug callback: %d\n", result);
		return result;
	}
	hotplug = result;
	result = cpu_pm_register_notifier(&power);
	if (result)
		goto no_notifier;
	if (!proc_create_single("tacho_pmu", 0444, NULL, show)) {
		pr_err("/proc/tacho_pmu could not be made\n");
		result = -ENOMEM;
		goto no_status;
	}
	return 0;

no_status:
	cpu_pm_unregister_notifier(&power);
no_notifier:
	cpuhp_remove_state(hotplug);
	return result;
}

static void __exit unload(void)
{
	remove_proc_entry("tacho_pmu", NULL);
	cpu_pm_unregister_notifier(&power);
	cpuhp_remove_state(hotplug);
}

module_init(load);
module_exit(unload);

MODULE_DESCRIPTION("User access to the performance counters of ARM processors");
MODULE_LICENSE("GPL");
MODULE_VERSION(TACHO_VERSION);
