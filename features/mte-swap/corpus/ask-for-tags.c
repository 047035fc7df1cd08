// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded beside Scudo, which tags its memory only in a process that has asked
 * for tag check faults: its constructor asks.  It needs no libc, so it is ready
 * before anything allocates.
 */
#include <linux/prctl.h>
#include <sys/syscall.h>

#define ALL_BUT_ZERO	(0xfffeUL << PR_MTE_TAG_SHIFT)

__attribute__((constructor)) static void ask_for_tags(void)
{
	register long number __asm__("x8") = __NR_prctl;
	register long option __asm__("x0") = PR_SET_TAGGED_ADDR_CTRL;
	register unsigned long how __asm__("x1") =
		PR_TAGGED_ADDR_ENABLE | PR_MTE_TCF_SYNC | ALL_BUT_ZERO;
	register long zero2 __asm__("x2") = 0;
	register long zero3 __asm__("x3") = 0;
	register long zero4 __asm__("x4") = 0;

	__asm__ volatile("svc 0"
			 : "+r"(option)
			 : "r"(number), "r"(how), "r"(zero2), "r"(zero3), "r"(zero4)
			 : "memory");
}
