// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a store whose tag check fails, so late that only one place is left that
 * can report it: "place=switch" stores with interrupts masked and gives up the
 * CPU, "place=exit" stores and returns to user space.  In asynchronous and in
 * asymmetric mode the kernel has to report it there, in synchronous mode at once.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *place = "exit";
module_param(place, charp, 0444);
MODULE_PARM_DESC(place, "where the fault is to be noticed: exit or switch");

static char *memory;

/* Freed memory has another tag. The compiler must not know that it is freed. */
static noinline void store_to_freed_memory(void)
{
	char *freed = memory;

	OPTIMIZER_HIDE_VAR(freed);
	WRITE_ONCE(*freed, 1);
}

static void store_before_switch(void)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	local_irq_disable();
	store_to_freed_memory();
	schedule_timeout(1);
}

static int __init async_fault_init(void)
{
	memory = kmalloc(64, GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	kfree(memory);
	if (!strcmp(place, "switch"))
		store_before_switch();
	else
		store_to_freed_memory();
	return 0;
}

static void __exit async_fault_exit(void)
{
}

module_init(async_fault_init);
module_exit(async_fault_exit);
MODULE_DESCRIPTION("A tag check fault that is noticed late");
MODULE_LICENSE("GPL");
