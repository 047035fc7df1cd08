// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Known numbers of known instructions, to prove a counter right.
 *
 * Each region is one block of assembly from its open to its close mark, so
 * every instruction in it is written down here.  When all have run, the program
 * prints what must have been counted at EL0, one JSON object a line:
 *
 *	{"region": "ldr", "u": {"instructions": 65, "mem_access_rd": 64, ...}}
 *
 * Events that are not named must not happen; interrupts alone are left to
 * chance.
 *
 * What counts: an instruction is one read or one write whatever its size, and
 * an atomic is one of each.  It is checked when any byte it touches is in
 * tagged memory and neither its addressing mode (SP and an immediate) nor
 * PSTATE.TCO exempts it; whether a wrong tag would fault does not matter.
 */
#pragma GCC target("arch=armv8.5-a+memtag")

#include <stddef.h>

#include <granule.h>

#include "tagged-memory.h"

#define REPEATS		64
#define REPEATS_TEXT	"64"
#define TAG		5
#define WRONG_TAG	6

#define CLOBBERED "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", \
	"v0", "v1", "v2", "v3", "cc", "memory"

/*
 * X0 holds the region's name from before the open mark to the close mark, and
 * X1 the address.  @before and @after are outside the region; the body is
 * repeated inside it.
 */
#define RUN_WITH(function, before, after, body)					\
	static void function(const char *name, char *address)			\
	{									\
		register const char *x0 __asm__("x0") = name;			\
		register char *x1 __asm__("x1") = address;			\
										\
		__asm__ volatile(before "\n"					\
				 GRANULE_MARK_OPEN "\n"				\
				 ".rept " REPEATS_TEXT "\n" body "\n.endr\n"	\
				 GRANULE_MARK_CLOSE "\n"			\
				 after						\
				 : "+r"(x0), "+r"(x1) : : CLOBBERED);		\
	}

#define RUN(function, body) RUN_WITH(function, "", "", body)
#define RUN_UNCHECKED(function, body) RUN_WITH(function, "msr tco, #1", "msr tco, #0", body)
#define RUN_ON_STACK(function, body) \
	RUN_WITH(function, "mov x9, sp\n mov sp, x1\n mov x3, #16", "mov sp, x9", body)
/* The kernel keeps every register but X0, which it returns a value in. */
#define RUN_CALLS(function, body) RUN_WITH(function, "mov x9, x0\n mov x8, #172", "", body)

RUN(run_nothing, "nop")

RUN(run_ldr, "ldr x2, [x1]")
RUN(run_str, "str x2, [x1]")
RUN(run_ldp, "ldp x2, x3, [x1]")
RUN(run_stp, "stp x2, x3, [x1]")
RUN(run_ldrb, "ldrb w2, [x1, #1]")
RUN(run_literal, "ldr x2, .")
RUN(run_prefetch, "prfm pldl1keep, [x1]")
RUN_UNCHECKED(run_ldr_str_unchecked, "ldr x2, [x1]\n str x2, [x1]")

RUN_ON_STACK(run_sp_immediate, "ldr x2, [sp, #16]\n str x2, [sp, #32]\n ldp x4, x5, [sp]")
RUN_ON_STACK(run_sp_writeback, "ldr x2, [sp], #16\n str x2, [sp, #-16]!")
RUN_ON_STACK(run_sp_register, "ldr x2, [sp, x3]\n str x2, [sp, x3]")

RUN(run_across_pages, "ldr x2, [x1]\n str x2, [x1]")
RUN(run_fresh_ldr, "ldr x2, [x1]\n add x1, x1, #1, lsl #12")
RUN(run_fresh_str, "str x2, [x1]\n add x1, x1, #1, lsl #12")

RUN(run_ldar_stlr, "ldar x2, [x1]\n stlr x2, [x1]")
RUN(run_exclusive, "ldxr x2, [x1]\n stxr w3, x2, [x1]")
RUN(run_cas, "cas x2, x3, [x1]")
RUN(run_casp, "casp x2, x3, x4, x5, [x1]")
RUN(run_swp, "swp x2, x3, [x1]")
RUN(run_ldadd, "ldadd x2, x3, [x1]")
RUN(run_stadd, "stadd x2, [x1]")

RUN(run_ldr_q, "ldr q0, [x1]")
RUN(run_str_q, "str q0, [x1]")
RUN(run_ldp_q, "ldp q0, q1, [x1]")
RUN(run_stp_q, "stp q0, q1, [x1]")
RUN(run_ld1, "ld1 {v0.16b-v3.16b}, [x1]")
RUN(run_st1, "st1 {v0.16b-v3.16b}, [x1]")

RUN(run_dc_zva, "dc zva, x1")
RUN(run_ldg, "ldg x2, [x1]")
RUN(run_stg, "stg x1, [x1]")
RUN(run_st2g, "st2g x1, [x1]")
RUN(run_stzg, "stzg x1, [x1]")
RUN(run_stgp, "stgp x2, x3, [x1]")

RUN(run_dsb, "dsb sy\n dsb ish\n dsb ishst\n dsb ishld\n dsb nsh\n dsb osh")
RUN(run_dmb, "dmb sy\n dmb ish\n dmb ishst\n dmb ishld\n dmb nsh\n dmb osh")
RUN(run_isb, "isb")
RUN(run_mrs, "mrs x2, tpidr_el0\n mrs x2, ctr_el0\n mrs x2, cntvct_el0")
RUN_CALLS(run_svc, "svc #0\n mov x0, x9")

enum memory {
	NONE,			/* X1 is not used */
	UNTAGGED,
	TAGGED,
	TAGGED_WRONGLY,		/* pointer and memory differ; faults are off */
	TAGGED_ZERO,
	TAGGED_ALL_ONES,
	INTO_TAGGED,		/* four bytes before a tagged page */
	OUT_OF_TAGGED,		/* four bytes before its end */
	FRESH_UNTAGGED,		/* a page for each repetition, not there yet */
	FRESH_TAGGED,
};

struct expectation {
	const char *event;
	unsigned int count;	/* for each repetition */
};

struct region {
	const char *name;
	void (*run)(const char *name, char *address);
	enum memory memory;
	unsigned int instructions;	/* for each repetition */
	struct expectation expected[8];
};

#define RD { "mem_access_rd", 1 }
#define WR { "mem_access_wr", 1 }
#define CHECKED_RD { "mem_access_checked_rd.ttbr0", 1 }
#define CHECKED_WR { "mem_access_checked_wr.ttbr0", 1 }
#define TAG_LD { "tag_ld", 1 }
#define TAG_ST { "tag_st", 1 }
/* The access starts twice and completes once. */
#define FAULT { "exceptions.data_abort", 1 }

static const struct region regions[] = {
	{ "nop", run_nothing, NONE, 1, { } },

	{ "ldr", run_ldr, UNTAGGED, 1, { RD } },
	{ "str", run_str, UNTAGGED, 1, { WR } },
	{ "ldp", run_ldp, UNTAGGED, 1, { RD } },
	{ "stp", run_stp, UNTAGGED, 1, { WR } },
	{ "ldr-literal", run_literal, NONE, 1, { RD } },
	{ "prfm-tagged", run_prefetch, TAGGED, 1, { } },

	{ "ldr-tagged", run_ldr, TAGGED, 1, { RD, CHECKED_RD } },
	{ "str-tagged", run_str, TAGGED, 1, { WR, CHECKED_WR } },
	{ "ldp-tagged", run_ldp, TAGGED, 1, { RD, CHECKED_RD } },
	{ "stp-tagged", run_stp, TAGGED, 1, { WR, CHECKED_WR } },
	{ "ldrb-tagged", run_ldrb, TAGGED, 1, { RD, CHECKED_RD } },
	{ "ldr-wrong-tag", run_ldr, TAGGED_WRONGLY, 1, { RD, CHECKED_RD } },
	{ "str-wrong-tag", run_str, TAGGED_WRONGLY, 1, { WR, CHECKED_WR } },
	{ "ldr-tag-0", run_ldr, TAGGED_ZERO, 1, { RD, CHECKED_RD } },
	{ "ldr-tag-f", run_ldr, TAGGED_ALL_ONES, 1, { RD, CHECKED_RD } },
	{ "tco", run_ldr_str_unchecked, TAGGED, 2, { RD, WR } },

	{ "sp-immediate", run_sp_immediate, TAGGED, 3, { { "mem_access_rd", 2 }, WR } },
	{ "sp-writeback", run_sp_writeback, TAGGED, 2, { RD, WR, CHECKED_RD, CHECKED_WR } },
	{ "sp-register", run_sp_register, TAGGED, 2, { RD, WR, CHECKED_RD, CHECKED_WR } },

	{ "into-tagged", run_across_pages, INTO_TAGGED, 2, { RD, WR, CHECKED_RD, CHECKED_WR } },
	{ "out-of-tagged", run_across_pages, OUT_OF_TAGGED, 2,
	  { RD, WR, CHECKED_RD, CHECKED_WR } },
	{ "fresh-ldr", run_fresh_ldr, FRESH_UNTAGGED, 2, { RD, FAULT } },
	{ "fresh-str", run_fresh_str, FRESH_UNTAGGED, 2, { WR, FAULT } },
	{ "fresh-ldr-tagged", run_fresh_ldr, FRESH_TAGGED, 2, { RD, CHECKED_RD, FAULT } },
	{ "fresh-str-tagged", run_fresh_str, FRESH_TAGGED, 2, { WR, CHECKED_WR, FAULT } },

	{ "ldar-stlr", run_ldar_stlr, UNTAGGED, 2, { RD, WR } },
	{ "exclusive", run_exclusive, UNTAGGED, 2,
	  { RD, WR, { "atomics.load_exclusive", 1 }, { "atomics.store_exclusive", 1 } } },
	{ "cas", run_cas, UNTAGGED, 1, { RD, WR, { "atomics.cas", 1 } } },
	{ "casp", run_casp, UNTAGGED, 1, { RD, WR, { "atomics.casp", 1 } } },
	{ "swp", run_swp, UNTAGGED, 1, { RD, WR, { "atomics.swp", 1 } } },
	{ "ldadd", run_ldadd, UNTAGGED, 1, { RD, WR, { "atomics.ld_op", 1 } } },
	{ "stadd", run_stadd, UNTAGGED, 1, { RD, WR, { "atomics.st_op", 1 } } },
	{ "exclusive-tagged", run_exclusive, TAGGED, 2,
	  { RD, WR, CHECKED_RD, CHECKED_WR,
	    { "atomics.load_exclusive", 1 }, { "atomics.store_exclusive", 1 } } },
	{ "cas-tagged", run_cas, TAGGED, 1,
	  { RD, WR, CHECKED_RD, CHECKED_WR, { "atomics.cas", 1 } } },
	{ "ldadd-tagged", run_ldadd, TAGGED, 1,
	  { RD, WR, CHECKED_RD, CHECKED_WR, { "atomics.ld_op", 1 } } },

	{ "ldr-q", run_ldr_q, TAGGED, 1, { RD, CHECKED_RD } },
	{ "str-q", run_str_q, TAGGED, 1, { WR, CHECKED_WR } },
	{ "ldp-q", run_ldp_q, TAGGED, 1, { RD, CHECKED_RD } },
	{ "stp-q", run_stp_q, TAGGED, 1, { WR, CHECKED_WR } },
	{ "ld1", run_ld1, TAGGED, 1, { RD, CHECKED_RD } },
	{ "st1", run_st1, TAGGED, 1, { WR, CHECKED_WR } },

	{ "dc-zva", run_dc_zva, UNTAGGED, 1, { WR } },
	{ "dc-zva-tagged", run_dc_zva, TAGGED, 1, { WR, CHECKED_WR } },
	{ "ldg", run_ldg, TAGGED, 1, { TAG_LD } },
	{ "stg", run_stg, TAGGED, 1, { TAG_ST } },
	{ "st2g", run_st2g, TAGGED, 1, { TAG_ST } },
	{ "stzg", run_stzg, TAGGED, 1, { TAG_ST, WR } },
	{ "stgp", run_stgp, TAGGED, 1, { TAG_ST, WR } },

	{ "dsb", run_dsb, NONE, 6,
	  { { "dsb.sy", 1 }, { "dsb.ish", 1 }, { "dsb.ishst", 1 }, { "dsb.ishld", 1 },
	    { "dsb.nsh", 1 }, { "dsb.osh", 1 } } },
	{ "dmb", run_dmb, NONE, 6,
	  { { "dmb.sy", 1 }, { "dmb.ish", 1 }, { "dmb.ishst", 1 }, { "dmb.ishld", 1 },
	    { "dmb.nsh", 1 }, { "dmb.osh", 1 } } },
	{ "isb", run_isb, NONE, 1, { { "isb", 1 } } },
	{ "mrs", run_mrs, NONE, 3,
	  { { "mrs.tpidr_el0", 1 }, { "mrs.ctr_el0", 1 }, { "mrs.cntvct_el0", 1 } } },
	{ "svc", run_svc, NONE, 2, { { "svc", 1 }, { "exceptions.svc", 1 } } },
};

#define REGIONS (sizeof(regions) / sizeof(regions[0]))

static char *address_in(enum memory memory)
{
	switch (memory) {
	case UNTAGGED:
		return untagged_page();
	case TAGGED:
		return tagged_page(TAG);
	case TAGGED_WRONGLY:
		return with_tag(tagged_page(0), WRONG_TAG);
	case TAGGED_ZERO:
		return tagged_page(0);
	case TAGGED_ALL_ONES:
		return tagged_page(0xf);
	case INTO_TAGGED:
		return tagged_page_between_untagged(TAG) - 4;
	case OUT_OF_TAGGED:
		return tagged_page_between_untagged(TAG) + page_size() - 4;
	case FRESH_UNTAGGED:
		return fresh_pages(REPEATS, 0);
	case FRESH_TAGGED:
		return fresh_pages(REPEATS, PROT_MTE);
	default:
		return NULL;
	}
}

static void measure(const struct region *region)
{
	char *address = address_in(region->memory);

	if (region->memory == TAGGED_WRONGLY)
		set_tag_faults(PR_MTE_TCF_NONE);
	region->run(region->name, address);
	set_tag_faults(PR_MTE_TCF_SYNC);
}

static void print_expected(const struct region *region)
{
	/* The close mark is the last instruction of its region. */
	printf("{\"region\": \"%s\", \"u\": {\"instructions\": %u", region->name,
	       region->instructions * REPEATS + 1);
	for (const struct expectation *e = region->expected; e->event; e++)
		printf(", \"%s\": %u", e->event, e->count * REPEATS);
	printf("}}\n");
}

int main(void)
{
	need_memory_tagging();
	set_tag_faults(PR_MTE_TCF_SYNC);
	/* Code and names too: a fault inside a region would run it in pieces. */
	if (mlockall(MCL_CURRENT))
		fail("mlockall");
	for (size_t i = 0; i < REGIONS; i++)
		measure(&regions[i]);
	for (size_t i = 0; i < REGIONS; i++)
		print_expected(&regions[i]);
	return 0;
}
