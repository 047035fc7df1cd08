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
 *	granule-exact: {"region": NAME, "events": {EVENT: COUNT, ...}}
 * Events that are not named must not happen.
 */
#include <linux/kasan.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <asm/mte.h>
#include <asm/neon.h>
#include <asm/sysreg.h>

#define MARK_OPEN	".inst 0xd288ea5f\n"	/* movz xzr, #0x4752 */
#define MARK_CLOSE	".inst 0xd2a8ea5f\n"	/* movz xzr, #0x4752, lsl #16 */

#define REPEAT		100
#define STR(x)		#x
#define XSTR(x)		STR(x)

/*
 * x0: name, x1: base address, x2: an offset register (0), x4 to x7: scratch,
 * x9: keeps SP. The tag of the base is what the caller made it.
 */
#define BODY(body)							\
	MARK_OPEN							\
	".rept " XSTR(REPEAT) "\n" body "\n.endr\n"			\
	MARK_CLOSE

#define RUN(body, name, base)						\
do {									\
	register const char *x0 asm("x0") = (name);			\
	register unsigned long x1 asm("x1") = (unsigned long)(base);	\
	register unsigned long x2 asm("x2") = 0;			\
	unsigned long flags = local_daif_save();			\
									\
	asm volatile(BODY(body)						\
		     : "+r" (x0), "+r" (x1), "+r" (x2)			\
		     :							\
		     : "x4", "x5", "x6", "x7", "x8", "x9", "cc", "memory"); \
	local_daif_restore(flags);					\
} while (0)

/* The same with SP at the base for the length of the region. */
#define RUN_ON_SP(body, name, base)					\
do {									\
	register const char *x0 asm("x0") = (name);			\
	register unsigned long x1 asm("x1") = (unsigned long)(base);	\
	register unsigned long x2 asm("x2") = 0;			\
	unsigned long flags = local_daif_save();			\
									\
	asm volatile("mov x9, sp\n"					\
		     "mov sp, x1\n"					\
		     BODY(body)						\
		     "mov sp, x9\n"					\
		     : "+r" (x0), "+r" (x1), "+r" (x2)			\
		     :							\
		     : "x4", "x5", "x6", "x7", "x8", "x9", "cc", "memory"); \
	local_daif_restore(flags);					\
} while (0)

#define EXPECT(name, n, events, ...)					\
	pr_info("granule-exact: {\"region\": \"%s\", \"events\": {\"instructions\": %d" events "}}\n", \
		name, (n) * REPEAT + 1, ##__VA_ARGS__)

#define COUNT(event)	", \"" event "\": " XSTR(REPEAT)

#define READ		COUNT("mem_access_rd")
#define WRITE		COUNT("mem_access_wr")
#define CHECKED_READ	READ COUNT("mem_access_checked_rd")
#define CHECKED_WRITE	WRITE COUNT("mem_access_checked_wr")
#define READ_WRITE	READ WRITE
#define CHECKED_BOTH	CHECKED_READ CHECKED_WRITE

#define LOAD_STORE	"ldr x4, [x1]\n str x4, [x1, #8]\n"

#define ROUNDS(n, body, name, base, events)				\
do {									\
	RUN(body, name, base);						\
	EXPECT(name, n, events);					\
} while (0)

#define ROUNDS_ON_SP(n, body, name, base, events)			\
do {									\
	RUN_ON_SP(body, name, base);					\
	EXPECT(name, n, events);					\
} while (0)

#define TCMA1	BIT(58)

static void set_tcma1(bool on)
{
	u64 tcr = read_sysreg(tcr_el1);

	write_sysreg(on ? tcr | TCMA1 : tcr & ~TCMA1, tcr_el1);
	isb();
}

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

/* Plain accesses: what makes one checked, and what exempts it. */
static void plain_accesses(void *tagged, void *untagged)
{
	set_tcma1(false);
	ROUNDS(2, LOAD_STORE, "linear map, tag 0xf, TCMA1 = 0", tagged,
	       CHECKED_BOTH);
	set_tcma1(true);
	ROUNDS(2, LOAD_STORE, "linear map, tag 0xf, TCMA1 = 1", tagged,
	       READ_WRITE);
	ROUNDS(2, LOAD_STORE, "linear map, tag 0xe, TCMA1 = 1",
	       with_tag(tagged, 0xe), CHECKED_BOTH);
	set_tcma1(false);
	set_tco(true);
	ROUNDS(2, LOAD_STORE, "linear map, TCO = 1", tagged, READ_WRITE);
	set_tco(false);
	ROUNDS(2, LOAD_STORE, "vmalloc", untagged, READ_WRITE);
	ROUNDS(1, "ldr x4, [x1, x2]", "register offset", tagged, CHECKED_READ);
	ROUNDS(1, "ldr x4, 1f\n1:", "literal", tagged, READ);
}

static void stack_accesses(void *tagged)
{
	ROUNDS_ON_SP(2, "ldr x4, [sp]\n str x4, [sp, #8]",
		     "SP, immediate", tagged, READ_WRITE);
	ROUNDS_ON_SP(1, "ldp x4, x5, [sp, #16]", "SP, pair", tagged, READ);
	ROUNDS_ON_SP(1, "ldr x4, [sp, x2]", "SP, register offset", tagged,
		     CHECKED_READ);
	ROUNDS_ON_SP(2, "str x4, [sp, #-16]!\n ldr x4, [sp], #16",
		     "SP, writeback", tagged + 64, CHECKED_BOTH);
}

static void pairs_and_atomics(void *tagged)
{
	ROUNDS(2, "ldp x4, x5, [x1]\n stp x4, x5, [x1, #16]", "pairs", tagged,
	       CHECKED_BOTH);
	ROUNDS(2, "ldxr x4, [x1]\n stxr w5, x4, [x1]", "exclusives", tagged,
	       CHECKED_BOTH COUNT("atomics.load_exclusive")
	       COUNT("atomics.store_exclusive"));
	ROUNDS(1, "cas x4, x5, [x1]", "cas", tagged,
	       CHECKED_BOTH COUNT("atomics.cas"));
	ROUNDS(1, "casp x4, x5, x6, x7, [x1]", "casp", tagged,
	       CHECKED_BOTH COUNT("atomics.casp"));
	ROUNDS(1, "swp x4, x5, [x1]", "swp", tagged,
	       CHECKED_BOTH COUNT("atomics.swp"));
	ROUNDS(1, "ldadd x4, x5, [x1]", "ldadd", tagged,
	       CHECKED_BOTH COUNT("atomics.ld_op"));
	ROUNDS(1, "stadd x4, [x1]", "stadd", tagged,
	       CHECKED_BOTH COUNT("atomics.st_op"));
	ROUNDS(2, "ldar x4, [x1]\n stlr x4, [x1]", "acquire and release",
	       tagged, CHECKED_BOTH);
}

static void odd_accesses(void *tagged)
{
	ROUNDS(1, "ldr x4, [x1]", "page-crossing", tagged + PAGE_SIZE - 4,
	       CHECKED_READ);
	ROUNDS(1, "dc zva, x1", "DC ZVA", tagged, CHECKED_WRITE);
	ROUNDS(2, "ldg x4, [x1]\n stg x4, [x1]", "LDG and STG", tagged,
	       COUNT("tag_ld") COUNT("tag_st"));
	ROUNDS(1, "prfm pldl1keep, [x1]", "prefetch", tagged, "");
}

static void simd_accesses(void *tagged)
{
	kernel_neon_begin();
	set_tco(false);
	ROUNDS(2, ".arch_extension simd\n ldr q0, [x1]\n ldp q2, q3, [x1]",
	       "SIMD loads", tagged,
	       ", \"mem_access_rd\": 200, \"mem_access_checked_rd\": 200");
	ROUNDS(1, ".arch_extension simd\n st1 {v0.16b-v3.16b}, [x1]",
	       "SIMD structure store", tagged, CHECKED_WRITE);
	kernel_neon_end();
}

static void system_instructions(void)
{
	ROUNDS(3, "dsb ish\n dmb ishst\n isb", "barriers", NULL,
	       COUNT("dsb.ish") COUNT("dmb.ishst") COUNT("isb"));
	ROUNDS(3, "tlbi vale1, x2\n tlbi vale1is, x2\n tlbi vmalle1\n", "TLBI",
	       NULL, COUNT("tlbi.vale1") COUNT("tlbi.vale1is")
	       COUNT("tlbi.vmalle1"));
	ROUNDS(1, "mrs x4, tpidr_el1", "MRS", NULL, COUNT("mrs.tpidr_el1"));
	ROUNDS(1, SET_PSTATE_TCO(0), "MSR TCO", NULL, COUNT("msr.tco"));
}

/* LDTR and STTR are checked as EL0's accesses are. */
static int unprivileged_accesses(const char *name, unsigned long prot,
				 const char *checks)
{
	unsigned long user = vm_mmap(NULL, 0, PAGE_SIZE,
				     PROT_READ | PROT_WRITE | prot,
				     MAP_PRIVATE | MAP_ANONYMOUS, 0);

	if (IS_ERR_VALUE(user))
		return (int)user;
	if (put_user(0UL, (unsigned long __user *)user))
		return -EFAULT;
	set_tco(false);
	RUN("ldtr x4, [x1]\n sttr x4, [x1, #8]", name, user);
	EXPECT(name, 2, READ_WRITE "%s", checks);
	return vm_munmap(user, PAGE_SIZE);
}

static int user_accesses(void)
{
	int error = unprivileged_accesses("unprivileged, PROT_MTE", PROT_MTE,
					  COUNT("mem_access_checked_rd")
					  COUNT("mem_access_checked_wr"));

	return error ?: unprivileged_accesses("unprivileged, untagged", 0, "");
}

static int run(void *tagged, void *untagged)
{
	u64 tcr = read_sysreg(tcr_el1);
	int error;

	preempt_disable();
	set_tco(false);
	plain_accesses(tagged, untagged);
	stack_accesses(tagged);
	pairs_and_atomics(tagged);
	odd_accesses(tagged);
	system_instructions();
	preempt_enable();
	simd_accesses(tagged);
	error = user_accesses();
	write_sysreg(tcr, tcr_el1);
	isb();
	return error;
}

static int __init granule_exact_init(void)
{
	void *tagged, *untagged;
	int error = -ENOMEM;

	/* A wrong tag would fault, and the tag of a pointer is KASAN's. */
	if (kasan_hw_tags_enabled() || !system_supports_mte())
		return -ENODEV;

	tagged = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, 1);
	untagged = vzalloc(PAGE_SIZE);
	if (tagged && untagged)
		error = run(tagged, untagged);
	vfree(untagged);
	free_pages((unsigned long)tagged, 1);
	return error;
}
module_init(granule_exact_init);

MODULE_DESCRIPTION("Known numbers of architectural events, to prove counters exact");
MODULE_LICENSE("GPL");
