// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which accesses of the kernel are tag checked, told by the CPU itself and not
 * by a counter: with faults asked for, a checked access to memory with another
 * tag faults and an unchecked one does not.
 *
 * Loading the module logs one JSON object a line:
 *	granule-tag-checks: {"tag": T, "fault": true|false}
 *		a read through a kernel pointer with tag T, of memory with tag 3
 *	granule-tag-checks: {"cpu": N, "tcma1": 0|1}
 *		TCR_EL1.TCMA1 of each CPU that is on
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <asm/daifflags.h>
#include <asm/mte.h>
#include <asm/sysreg.h>

#define MEMORY_TAG	3
#define SYS_TCO		sys_reg(3, 3, 4, 2, 7)

static void *with_tag(void *address, unsigned long tag)
{
	return (void *)(((unsigned long)address & ~(0xfUL << 56)) | tag << 56);
}

static void tag_memory(void *granule, unsigned long tag)
{
	asm volatile(".arch armv8.5-a\n .arch_extension memtag\n stg %0, [%0]"
		     : : "r" (with_tag(granule, tag)) : "memory");
}

static bool read_faults(const u64 *address)
{
	u64 value;

	__get_kernel_nofault(&value, address, u64, fault);
	return false;
fault:
	return true;
}

/*
 * Only the read happens with faults asked for. This kernel has no KASAN, so its
 * stack and data are either without tags or reached through tag 0xF.
 */
static bool faults_in_sync_mode(void *granule, unsigned long tag)
{
	unsigned long flags = local_daif_save();
	u64 sctlr = read_sysreg(sctlr_el1);
	u64 tco = read_sysreg_s(SYS_TCO);
	bool fault;

	write_sysreg((sctlr & ~SCTLR_EL1_TCF_MASK) |
		     SYS_FIELD_PREP_ENUM(SCTLR_EL1, TCF, SYNC), sctlr_el1);
	isb();
	asm volatile(SET_PSTATE_TCO(0));
	fault = read_faults(with_tag(granule, tag));
	asm volatile(SET_PSTATE_TCO(1));
	write_sysreg(sctlr, sctlr_el1);
	isb();
	write_sysreg_s(tco, SYS_TCO);
	local_daif_restore(flags);
	return fault;
}

static int log_tags(void)
{
	void *granule = (void *)get_zeroed_page(GFP_KERNEL);

	if (!granule)
		return -ENOMEM;
	tag_memory(granule, MEMORY_TAG);
	for (unsigned long tag = 0; tag <= 0xf; tag++)
		pr_info("granule-tag-checks: {\"tag\": %lu, \"fault\": %s}\n", tag,
			faults_in_sync_mode(granule, tag) ? "true" : "false");
	tag_memory(granule, 0);
	free_page((unsigned long)granule);
	return 0;
}

static void read_tcr_el1(void *tcr)
{
	*(u64 *)tcr = read_sysreg(tcr_el1);
}

static int log_cpu(unsigned int cpu)
{
	u64 tcr;
	int error = smp_call_function_single(cpu, read_tcr_el1, &tcr, true);

	if (error)
		return error;
	pr_info("granule-tag-checks: {\"cpu\": %u, \"tcma1\": %d}\n", cpu,
		!!(tcr & TCR_TCMA1));
	return 0;
}

static int log_cpus(void)
{
	unsigned int cpu;
	int error = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		error = log_cpu(cpu);
		if (error)
			break;
	}
	cpus_read_unlock();
	return error;
}

static int __init tag_checks_init(void)
{
	int error;

	if (!system_supports_mte())
		return -ENODEV;
	error = log_tags();
	return error ?: log_cpus();
}

static void __exit tag_checks_exit(void)
{
}

module_init(tag_checks_init);
module_exit(tag_checks_exit);
MODULE_DESCRIPTION("Which accesses of the kernel are tag checked");
MODULE_LICENSE("GPL");
