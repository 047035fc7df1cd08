// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executes known numbers of each kind of event at EL1, each kind in a region
 * of its own, and logs what the counters have to show, so that the counts can
 * be compared with the last one.
 *
 * Every region runs with all exceptions masked, in one asm block that holds
 * its marks: nothing but the instructions written here executes in it. A
 * region covers what follows the open mark, up to and including the close
 * mark, so it has one instruction more than its body.
 *
 * The log has one line a region:
 *	granule-exact: {"region": NAME, "k": {EVENT: COUNT, ...}}
 * Events that are not named must not happen.
 */
#include <linux/kasan.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/daifflags.h>
#include <asm/mte.h>
#include <asm/neon.h>
#include <asm/sysreg.h>

#define MARK_OPEN	".inst 0xd288ea5f\n"	/* movz xzr, #0x4752 */
#define MARK_CLOSE	".inst 0xd2a8ea5f\n"	/* movz xzr, #0x4752, lsl #16 */

#define REPEATS		100

/* The kernel's own code is assembled for an older architecture. */
#define EXTENSIONS							\
	".arch armv8.5-a\n"						\
	".arch_extension memtag\n"					\
	".arch_extension lse\n"						\
	".arch_extension fp\n"						\
	".arch_extension simd\n"

/*
 * x0: the region's name, x1: an address, x2: another operand, x4 to x7:
 * scratch, x9: keeps SP. @before and @after are outside the region.
 *
 * The compiler takes the repetitions for a few instructions. Its branches would
 * not reach across many regions, so the functions that have some are noinline.
 */
#define RUN_WITH(before, after, body, name, address, operand)		\
do {									\
	register const char *x0 asm("x0") = (name);			\
	register unsigned long x1 asm("x1") = (unsigned long)(address);	\
	register unsigned long x2 asm("x2") = (operand);		\
	unsigned long flags = local_daif_save();			\
									\
	asm volatile(EXTENSIONS before "\n"				\
		     MARK_OPEN						\
		     ".rept " __stringify(REPEATS) "\n"			\
		     body "\n"						\
		     ".endr\n"						\
		     MARK_CLOSE						\
		     after						\
		     : "+r" (x0), "+r" (x1), "+r" (x2)			\
		     :							\
		     : "x4", "x5", "x6", "x7", "x9", "cc", "memory");	\
	local_daif_restore(flags);					\
} while (0)

#define RUN(body, name, address, operand)				\
	RUN_WITH("", "", body, name, address, operand)

/* The same with SP at the address for the length of the region. */
#define RUN_ON_SP(body, name, address)					\
	RUN_WITH("mov x9, sp\n mov sp, x1", "mov sp, x9", body, name, address, 0)

static void expect(const char *name, int instructions, const char *events)
{
	pr_info("granule-exact: {\"region\": \"%s\", \"k\": {\"instructions\": %d%s}}\n",
		name, instructions * REPEATS + 1, events);
}

/* As many of an event as there are repetitions. */
#define COUNT(event)	", \"" event "\": " __stringify(REPEATS)

#define RD		COUNT("mem_access_rd")
#define WR		COUNT("mem_access_wr")
#define BOTH		RD WR
/* Through kernel pointers, and through pointers of user space. */
#define CHECKED_RD	RD COUNT("mem_access_checked_rd.ttbr1")
#define CHECKED_WR	WR COUNT("mem_access_checked_wr.ttbr1")
#define CHECKED_BOTH	CHECKED_RD CHECKED_WR
#define CHECKED_USER	BOTH COUNT("mem_access_checked_rd.ttbr0") COUNT("mem_access_checked_wr.ttbr0")
#define NOTHING		""

/* @n instructions in @body; what each repetition causes is in @events. */
#define REGION(name, n, body, address, events)				\
do {									\
	RUN(body, name, address, 0);					\
	expect(name, n, events);					\
} while (0)

#define REGION_ON_SP(name, n, body, address, events)			\
do {									\
	RUN_ON_SP(body, name, address);					\
	expect(name, n, events);					\
} while (0)

#define LOAD_STORE	"ldr x4, [x1]\n str x4, [x1, #8]"

#define CHANGE_CONTROL(register, clear, set)				\
do {									\
	sysreg_clear_set(register, clear, set);				\
	isb();								\
} while (0)

static void set_tco(bool on)
{
	if (on)
		asm volatile(SET_PSTATE_TCO(1));
	else
		asm volatile(SET_PSTATE_TCO(0));
}

static void *with_tag(void *address, u8 tag)
{
	return (void *)(((unsigned long)address & ~(0xfUL << 56)) |
			((unsigned long)tag << 56));
}

/* What makes an access checked, and what exempts it. */
static noinline void controls(void *linear)
{
	CHANGE_CONTROL(tcr_el1, TCR_TCMA1, 0);
	REGION("tag f, TCMA1 = 0", 2, LOAD_STORE, linear, CHECKED_BOTH);
	CHANGE_CONTROL(tcr_el1, 0, TCR_TCMA1);
	REGION("tag f, TCMA1 = 1", 2, LOAD_STORE, linear, BOTH);
	REGION("tag e, TCMA1 = 1", 2, LOAD_STORE, with_tag(linear, 0xe), CHECKED_BOTH);
	CHANGE_CONTROL(tcr_el1, TCR_TCMA1, 0);
	REGION("tag e, TCMA1 = 0", 2, LOAD_STORE, with_tag(linear, 0xe), CHECKED_BOTH);
	CHANGE_CONTROL(tcr_el1, TCR_TBI1, 0);
	REGION("TBI1 = 0", 2, LOAD_STORE, linear, BOTH);
	CHANGE_CONTROL(tcr_el1, 0, TCR_TBI1);
	CHANGE_CONTROL(sctlr_el1, SCTLR_ELx_ATA, 0);
	REGION("ATA = 0", 2, LOAD_STORE, linear, BOTH);
	CHANGE_CONTROL(sctlr_el1, SCTLR_EL1_ATA0, SCTLR_ELx_ATA);
	REGION("ATA0 = 0", 2, LOAD_STORE, linear, CHECKED_BOTH);
	CHANGE_CONTROL(sctlr_el1, 0, SCTLR_EL1_ATA0);
	set_tco(true);
	REGION("TCO = 1", 2, LOAD_STORE, linear, BOTH);
	set_tco(false);
	REGION("TCO off and on", 4,
	       SET_PSTATE_TCO(1) "\n ldr x4, [x1]\n" SET_PSTATE_TCO(0) "\n str x4, [x1]",
	       linear, RD CHECKED_WR ", \"msr.tco\": 200");
}

static noinline void memory_types(void *linear, void *vmalloced)
{
	REGION("vmalloc", 2, LOAD_STORE, vmalloced, BOTH);
	REGION("vmalloc, across pages", 2, LOAD_STORE, vmalloced + PAGE_SIZE - 4, BOTH);
	REGION("linear map, across pages", 2, LOAD_STORE, linear + PAGE_SIZE - 4,
	       CHECKED_BOTH);
	REGION("register offset", 1, "ldr x4, [x1, x2]", linear, CHECKED_RD);
	REGION("literal", 1, "ldr x4, .", NULL, RD);
	REGION("prefetch", 1, "prfm pldl1keep, [x1]", linear, NOTHING);
}

static noinline void stack_accesses(void *linear)
{
	REGION_ON_SP("SP, immediate", 2, "ldr x4, [sp]\n str x4, [sp, #8]", linear, BOTH);
	REGION_ON_SP("SP, pair", 1, "ldp x4, x5, [sp, #16]", linear, RD);
	REGION_ON_SP("SP, exclusive", 2, "ldxr x4, [sp]\n stxr w5, x4, [sp]", linear,
		     BOTH COUNT("atomics.load_exclusive") COUNT("atomics.store_exclusive"));
	REGION_ON_SP("SP, register offset", 1, "ldr x4, [sp, x2]", linear, CHECKED_RD);
	REGION_ON_SP("SP, writeback", 2, "str x4, [sp, #-16]!\n ldr x4, [sp], #16",
		     linear + 64, CHECKED_BOTH);
	REGION_ON_SP("SP, writeback, vmalloc", 2, "str x4, [sp, #-16]!\n ldr x4, [sp], #16",
		     (void *)ALIGN(current_stack_pointer - 256, 16), BOTH);
}

static noinline void pairs_and_atomics(void *linear)
{
	REGION("pairs", 2, "ldp x4, x5, [x1]\n stp x4, x5, [x1, #16]", linear, CHECKED_BOTH);
	REGION("pairs without caching", 2, "ldnp x4, x5, [x1]\n stnp x4, x5, [x1, #16]", linear,
	       CHECKED_BOTH);
	REGION("bytes", 2, "ldrb w4, [x1, #1]\n strb w4, [x1, #2]", linear, CHECKED_BOTH);
	REGION("exclusives", 2, "ldxr x4, [x1]\n stxr w5, x4, [x1]", linear,
	       CHECKED_BOTH COUNT("atomics.load_exclusive") COUNT("atomics.store_exclusive"));
	REGION("cas", 1, "cas x4, x5, [x1]", linear, CHECKED_BOTH COUNT("atomics.cas"));
	REGION("casp", 1, "casp x4, x5, x6, x7, [x1]", linear,
	       CHECKED_BOTH COUNT("atomics.casp"));
	REGION("swp", 1, "swp x4, x5, [x1]", linear, CHECKED_BOTH COUNT("atomics.swp"));
	REGION("ldadd", 1, "ldadd x4, x5, [x1]", linear, CHECKED_BOTH COUNT("atomics.ld_op"));
	REGION("stadd", 1, "stadd x4, [x1]", linear, CHECKED_BOTH COUNT("atomics.st_op"));
	REGION("stadd, vmalloc", 1, "stadd x4, [x1]", current_stack_pointer - 256,
	       BOTH COUNT("atomics.st_op"));
	REGION("acquire and release", 2, "ldar x4, [x1]\n stlr x4, [x1]", linear, CHECKED_BOTH);
}

static noinline void tags_and_zeroing(void *linear)
{
	REGION("DC ZVA", 1, "dc zva, x1", linear, CHECKED_WR);
	REGION("DC ZVA, TCO = 1", 3,
	       SET_PSTATE_TCO(1) "\n dc zva, x1\n" SET_PSTATE_TCO(0), linear,
	       WR ", \"msr.tco\": 200");
	REGION("LDG and STG", 2, "ldg x4, [x1]\n stg x4, [x1]", linear,
	       COUNT("tag_ld") COUNT("tag_st"));
	REGION("LDGM and STGM", 2, "ldgm x4, [x1]\n stgm x4, [x1]", linear,
	       COUNT("tag_ld") COUNT("tag_st"));
	REGION("STZG", 1, "stzg x1, [x1]", linear, WR COUNT("tag_st"));
	REGION("DC GVA", 1, "dc gva, x1", linear, COUNT("tag_st"));
	REGION("DC GZVA", 1, "dc gzva, x1", linear, WR COUNT("tag_st"));
}

static noinline void simd_accesses(void *linear)
{
	kernel_neon_begin();
	REGION("SIMD load", 1, "ldr q0, [x1]", linear, CHECKED_RD);
	REGION("SIMD pairs", 2, "ldp q0, q1, [x1]\n stp q0, q1, [x1, #32]", linear,
	       CHECKED_BOTH);
	REGION("SIMD structures", 2,
	       "ld1 {v0.16b-v3.16b}, [x1]\n st1 {v0.16b-v3.16b}, [x1]", linear, CHECKED_BOTH);
	kernel_neon_end();
}

static noinline void system_instructions(void *linear)
{
	REGION("barriers", 4, "dsb ish\n dsb nshst\n dmb ishst\n isb", NULL,
	       COUNT("dsb.ish") COUNT("dsb.nshst") COUNT("dmb.ishst") COUNT("isb"));
	REGION("TLBI", 4, "tlbi vale1, x2\n tlbi vale1is, x2\n tlbi aside1is, x2\n tlbi vmalle1",
	       NULL, COUNT("tlbi.vale1") COUNT("tlbi.vale1is") COUNT("tlbi.aside1is")
	       COUNT("tlbi.vmalle1"));
	REGION("TLBI and access", 2, "tlbi vmalle1\n ldr x4, [x1]", linear,
	       CHECKED_RD COUNT("tlbi.vmalle1"));
	REGION("MRS and MSR", 3, "mrs x4, tpidr_el1\n mrs x5, ttbr0_el1\n msr ttbr0_el1, x5", NULL,
	       COUNT("mrs.tpidr_el1") COUNT("mrs.ttbr0_el1") COUNT("msr.ttbr0_el1"));
	REGION("MRS TFSR", 1, "mrs x4, tfsr_el1", NULL,
	       COUNT("mrs.tfsr_el1"));
	REGION("MSR immediate", 2, "msr daifset, #0xf\n msr tco, #0", NULL,
	       COUNT("msr.daifset") COUNT("msr.tco"));
}

/* ERET to the next instruction, which the new PSTATE applies to. */
#define ERET	"adr x4, 1f\n msr elr_el1, x4\n msr spsr_el1, x2\n eret\n 1:"
#define ERETS	COUNT("msr.elr_el1") COUNT("msr.spsr_el1") COUNT("eret")

static noinline void exception_returns(void *linear)
{
	u64 pstate = PSR_MODE_EL1h | PSR_D_BIT | PSR_A_BIT | PSR_I_BIT | PSR_F_BIT | PSR_PAN_BIT;

	RUN(ERET "ldr x4, [x1]", "ERET to TCO = 0", linear, pstate);
	expect("ERET to TCO = 0", 5, CHECKED_RD ERETS);
	RUN(ERET "ldr x4, [x1]", "ERET to TCO = 1", linear, pstate | PSR_TCO_BIT);
	expect("ERET to TCO = 1", 5, RD ERETS);
	set_tco(false);
}

/* A page of the process, mapped and there; an error number if there is none. */
static unsigned long user_page(unsigned long prot)
{
	unsigned long user = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE | prot,
				     MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (!IS_ERR_VALUE(user) && put_user(0UL, (unsigned long __user *)user))
		return -EFAULT;
	return user;
}

/* LDTR and STTR are checked as EL0's accesses are. @off: bits of SCTLR_EL1 */
static noinline int unprivileged(const char *name, unsigned long prot, u64 off, const char *events)
{
	unsigned long user = user_page(prot);

	if (IS_ERR_VALUE(user))
		return (int)user;
	preempt_disable();
	CHANGE_CONTROL(sctlr_el1, off, 0);
	RUN("ldtr x4, [x1]\n sttr x4, [x1, #8]", name, user, 0);
	CHANGE_CONTROL(sctlr_el1, 0, off);
	preempt_enable();
	expect(name, 2, events);
	return vm_munmap(user, PAGE_SIZE);
}

/* Other instructions reach a user's page with PAN off, checked as EL1's are. */
static noinline int privileged(const char *name, unsigned long prot, u64 off, const char *events)
{
	unsigned long user = user_page(prot);

	if (IS_ERR_VALUE(user))
		return (int)user;
	preempt_disable();
	CHANGE_CONTROL(sctlr_el1, off, 0);
	RUN_WITH(SET_PSTATE_PAN(0), SET_PSTATE_PAN(1), LOAD_STORE, name, user, 0);
	CHANGE_CONTROL(sctlr_el1, 0, off);
	preempt_enable();
	expect(name, 2, events);
	return vm_munmap(user, PAGE_SIZE);
}

static int user_accesses(void)
{
	return unprivileged("unprivileged, PROT_MTE", PROT_MTE, 0, CHECKED_USER) ?:
	       unprivileged("unprivileged, untagged", 0, 0, BOTH) ?:
	       unprivileged("unprivileged, ATA0 = 0", PROT_MTE, SCTLR_EL1_ATA0, BOTH) ?:
	       unprivileged("unprivileged, ATA = 0", PROT_MTE, SCTLR_ELx_ATA, CHECKED_USER) ?:
	       privileged("user pointer, PROT_MTE", PROT_MTE, 0, CHECKED_USER) ?:
	       privileged("user pointer, untagged", 0, 0, BOTH) ?:
	       privileged("user pointer, ATA0 = 0", PROT_MTE, SCTLR_EL1_ATA0, CHECKED_USER) ?:
	       privileged("user pointer, ATA = 0", PROT_MTE, SCTLR_ELx_ATA, BOTH);
}

static void privileged_accesses(void *linear, void *vmalloced)
{
	preempt_disable();
	set_tco(false);
	controls(linear);
	memory_types(linear, vmalloced);
	stack_accesses(linear);
	pairs_and_atomics(linear);
	tags_and_zeroing(linear);
	system_instructions(linear);
	exception_returns(linear);
	preempt_enable();
	simd_accesses(linear);
}

static int __init granule_exact_init(void)
{
	void *linear, *vmalloced;
	int error = -ENOMEM;

	/* A wrong tag would fault, and the tag of a pointer is KASAN's. */
	if (kasan_hw_tags_enabled() || !system_supports_mte())
		return -ENODEV;

	linear = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, 1);
	vmalloced = vzalloc(2 * PAGE_SIZE);
	if (linear && vmalloced) {
		privileged_accesses(linear, vmalloced);
		error = user_accesses();
	}
	vfree(vmalloced);
	free_pages((unsigned long)linear, 1);
	return error;
}
module_init(granule_exact_init);

MODULE_DESCRIPTION("Known numbers of architectural events, to prove counters exact");
MODULE_LICENSE("GPL");
