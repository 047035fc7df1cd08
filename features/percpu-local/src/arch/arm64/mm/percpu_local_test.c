// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of percpu data at one address: every CPU finds its own there, static,
 * reserved for modules and in chunks that come and go, also after it was away.  A CPU on
 * swapper_pg_dir faults, and what changes at the level of the window reaches every CPU.
 */
#include <kunit/test.h>
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kexec.h>
#include <linux/mm.h>
#include <linux/mmu_context.h>
#include <linux/percpu.h>
#include <linux/pgalloc.h>
#include <linux/set_memory.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include <asm/percpu_local.h>
#include <asm/suspend.h>
#include <asm/virt.h>

#include "percpu_local.h"

#define MARK	0x6c6f63616cUL

/* PAR_EL1: where an address leads, or how its translation failed */
#define PAR_FAILED		1
#define PAR_WHERE		GENMASK_ULL(51, PAGE_SHIFT)
#define PAR_STATUS		GENMASK_ULL(6, 1)
#define TRANSLATION_LEVEL_0	0x4
#define TRANSLATION_LEVEL_3	0x7

static DEFINE_PER_CPU(unsigned long, counter);
static DEFINE_PER_CPU_ALIGNED(u8[3], bytes);

/* What one CPU finds; filled there, judged by the test. */
struct findings {
	unsigned long local;
	unsigned long ttbr1;
	unsigned long pages_elsewhere;
	long on_swapper;
	long back;
	long written;
	long shared;
	u64 status;
	u8 byte;
	const void *addr;
	size_t size;
};

static u64 translated(const void *addr)
{
	u64 par;

	asm volatile("at s1e1r, %1\n\tisb\n\tmrs %0, par_el1"
		     : "=r" (par) : "r" (addr) : "memory");
	return par;
}

static u64 where(const void *addr)
{
	u64 par = translated(addr);

	return par & PAR_FAILED ? 0 : par & PAR_WHERE;
}

static void read_local(void *info)
{
	struct findings *found = info;

	found->local = READ_ONCE(*percpu_local_ptr(&counter));
	found->byte = READ_ONCE((*percpu_local_ptr(&bytes))[2]);
	found->ttbr1 = read_sysreg(ttbr1_el1) & ~TTBR_ASID_MASK;
}

static void add_local(void *info)
{
	(*percpu_local_ptr(&counter))++;
}

/* Of the size bytes at addr, a percpu pointer, which pages are not this CPU's? */
static void compare_pages(void *info)
{
	struct findings *found = info;
	void __percpu *ptr = (void __percpu *)found->addr;
	void __percpu *end = ptr + found->size;

	for (; ptr < end; ptr += PAGE_SIZE)
		if (!where(percpu_local_ptr(ptr)) ||
		    where(percpu_local_ptr(ptr)) != where((void *)this_cpu_ptr(ptr)))
			found->pages_elsewhere++;
}

static long read_counter(void)
{
	unsigned long value;

	return copy_from_kernel_nofault(&value, percpu_local_ptr(&counter), sizeof(value));
}

static void miss(void *info)
{
	struct findings *found = info;

	__cpu_replace_ttbr1(lm_alias(swapper_pg_dir), false);
	found->on_swapper = read_counter();
	percpu_local_switch();
	found->back = read_counter();
}

static u64 *this_root(void)
{
	u64 ttbr = read_sysreg(ttbr1_el1);
	phys_addr_t phys = ttbr & GENMASK_ULL(47, PAGE_SHIFT);

	if (IS_ENABLED(CONFIG_ARM64_PA_BITS_52))
		phys |= (ttbr & GENMASK_ULL(5, 2)) << 46;
	return __va(phys);
}

static void write_root(void *info)
{
	struct findings *found = info;
	u64 *root = this_root();
	u64 same = READ_ONCE(*root);

	found->written = copy_to_kernel_nofault(root, &same, sizeof(same));
}

static void read_shared(void *info)
{
	struct findings *found = info;
	unsigned long value = 0;

	found->shared = copy_from_kernel_nofault(&value, found->addr, sizeof(value));
	if (!found->shared && value != MARK)
		found->shared = -EIO;
}

static void read_status(void *info)
{
	struct findings *found = info;
	u64 par = translated(found->addr);

	found->status = par & PAR_FAILED ? FIELD_GET(PAR_STATUS, par) : 0;
}

static struct findings on_cpu(unsigned int cpu, smp_call_func_t func, const void *addr)
{
	struct findings found = { .addr = addr };

	smp_call_function_single(cpu, func, &found, true);
	return found;
}

static void expect_local(struct kunit *test, unsigned int cpu)
{
	struct findings found;

	per_cpu(counter, cpu) = MARK + cpu;
	per_cpu(bytes, cpu)[2] = cpu;
	found = on_cpu(cpu, read_local, NULL);
	KUNIT_EXPECT_EQ(test, found.local, MARK + cpu);
	KUNIT_EXPECT_EQ(test, found.byte, (u8)cpu);
	KUNIT_EXPECT_NE(test, found.ttbr1,
			phys_to_ttbr(__pa_symbol(swapper_pg_dir)));

	on_cpu(cpu, add_local, NULL);
	KUNIT_EXPECT_EQ(test, per_cpu(counter, cpu), MARK + cpu + 1);
}

static void each_cpu_finds_its_own(struct kunit *test)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		expect_local(test, cpu);
	cpus_read_unlock();
}

static void expect_pages(struct kunit *test, const void __percpu *ptr, size_t size)
{
	struct findings found;
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		found = (struct findings){ .addr = (__force const void *)ptr, .size = size };
		smp_call_function_single(cpu, compare_pages, &found, true);
		KUNIT_EXPECT_EQ(test, found.pages_elsewhere, 0);
	}
	cpus_read_unlock();
}

static void every_static_page_is_this_cpus(struct kunit *test)
{
	expect_pages(test, (void __percpu *)__per_cpu_start,
		     __per_cpu_end - __per_cpu_start);
}

static void what_modules_get_is_this_cpus(struct kunit *test)
{
	void __percpu *ptr = __alloc_reserved_percpu(sizeof(u64), sizeof(u64));

	KUNIT_ASSERT_NOT_NULL(test, (__force void *)ptr);
	expect_pages(test, ptr, sizeof(u64));
	free_percpu(ptr);
}

/* As large as one allocation can be, so that a few of them need new chunks. */
#define BLOCK_BYTES	PCPU_MIN_UNIT_SIZE
#define NR_BLOCKS	64

static void __percpu *blocks[NR_BLOCKS];

static void free_blocks(void)
{
	for (int n = 0; n < NR_BLOCKS; n++) {
		free_percpu(blocks[n]);
		blocks[n] = NULL;
	}
}

/* What a CPU reads of each page of a block, in place of its own number there. */
static void read_block(void *info)
{
	struct findings *found = info;
	void __percpu *ptr = (void __percpu *)found->addr;
	void __percpu *end = ptr + BLOCK_BYTES;
	unsigned long value;

	for (; ptr < end; ptr += PAGE_SIZE) {
		if (copy_from_kernel_nofault(&value, percpu_local_ptr(ptr), sizeof(value)))
			found->pages_elsewhere++;
		else if (value != (unsigned long)ptr + smp_processor_id())
			found->pages_elsewhere++;
	}
}

static void write_block(void __percpu *block)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		for (size_t offset = 0; offset < BLOCK_BYTES; offset += PAGE_SIZE)
			*(unsigned long *)per_cpu_ptr(block + offset, cpu) =
				(unsigned long)block + offset + cpu;
}

/* All are written before one is read, so that none can hide another. */
static void expect_blocks(struct kunit *test)
{
	unsigned int cpu;

	for (int n = 0; n < NR_BLOCKS && blocks[n]; n++)
		write_block(blocks[n]);

	cpus_read_lock();
	for_each_online_cpu(cpu)
		for (int n = 0; n < NR_BLOCKS && blocks[n]; n++)
			KUNIT_EXPECT_EQ(test, on_cpu(cpu, read_block,
						     (__force void *)blocks[n]).pages_elsewhere,
					0);
	cpus_read_unlock();

	for (int n = 0; n < NR_BLOCKS && blocks[n]; n++)
		expect_pages(test, blocks[n], BLOCK_BYTES);
}

static bool alloc_blocks(int nr)
{
	for (int n = 0; n < nr; n++) {
		blocks[n] = __alloc_percpu(BLOCK_BYTES, PAGE_SIZE);
		if (!blocks[n])
			return false;
	}
	return true;
}

static bool is_gone(void __percpu *block)
{
	void *addr = per_cpu_ptr(block, 0);

	return is_vmalloc_addr(addr) && !vmalloc_to_page(addr);
}

static int nr_gone(void __percpu * const *freed)
{
	int nr = 0;

	for (int n = 0; n < NR_BLOCKS; n++)
		nr += freed[n] && is_gone(freed[n]);
	return nr;
}

static void try_block(void *info)
{
	struct findings *found = info;
	void __percpu *ptr = (void __percpu *)found->addr;
	unsigned long value;

	found->back = copy_from_kernel_nofault(&value, percpu_local_ptr(ptr), sizeof(value));
}

static void expect_gone(struct kunit *test, void __percpu *block)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, on_cpu(cpu, try_block, (__force void *)block).back,
				-EFAULT);
	cpus_read_unlock();
}

/* Every CPU has used the chunks when they are freed, so it has them in its TLB. */
static void chunks_come_and_go(struct kunit *test)
{
	void __percpu *freed[NR_BLOCKS];
	bool allocated = alloc_blocks(NR_BLOCKS / 2);

	KUNIT_EXPECT_TRUE(test, allocated);
	expect_blocks(test);
	memcpy(freed, blocks, sizeof(freed));
	free_blocks();

	/* They are freed by a worker. */
	for (int tries = 0; tries < 100 && nr_gone(freed) < NR_BLOCKS / 4; tries++)
		msleep(50);
	KUNIT_EXPECT_GE(test, nr_gone(freed), NR_BLOCKS / 4);

	for (int n = 0; n < NR_BLOCKS; n++)
		if (freed[n] && is_gone(freed[n]))
			expect_gone(test, freed[n]);
}

static unsigned long unit_address(void __percpu *block, unsigned int cpu)
{
	return (unsigned long)per_cpu_ptr(block, cpu);
}

/* Of the blocks there are, the lowest address. */
static unsigned long lowest(void)
{
	unsigned long low = ULONG_MAX;
	unsigned int cpu;

	for (int n = 0; n < NR_BLOCKS && blocks[n]; n++)
		for_each_possible_cpu(cpu)
			low = min(low, unit_address(blocks[n], cpu));
	return low;
}

/* How far the last unit of a chunk is from the first. */
static unsigned long span(void)
{
	unsigned long low = ULONG_MAX, high = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		low = min(low, unit_address(blocks[0], cpu));
		high = max(high, unit_address(blocks[0], cpu));
	}
	return high - low;
}

/*
 * Takes all of vmalloc from below the last chunk down to where the next one would have
 * the same place: one window below.
 */
static struct vm_struct *take_window_below(void)
{
	unsigned long start = lowest() - PERCPU_LOCAL_SIZE + span() + BLOCK_BYTES;
	unsigned long end = lowest() - 2 * (span() + 4 * BLOCK_BYTES);

	return __get_vm_area_caller(end - start - PAGE_SIZE, VM_MAP, start, end,
				    __builtin_return_address(0));
}

static void no_two_chunks_have_one_place(struct kunit *test)
{
	struct vm_struct *area;
	bool below = false;

	KUNIT_EXPECT_TRUE(test, alloc_blocks(NR_BLOCKS / 4));
	area = take_window_below();
	KUNIT_EXPECT_NOT_NULL(test, area);
	for (int n = NR_BLOCKS / 4; area && n < NR_BLOCKS; n++) {
		blocks[n] = __alloc_percpu(BLOCK_BYTES, PAGE_SIZE);
		if (!blocks[n])
			break;
		below |= per_cpu_ptr(blocks[n], 0) < area->addr;
	}
	KUNIT_EXPECT_TRUE(test, below);
	expect_blocks(test);

	free_blocks();
	if (area)
		free_vm_area(area);
}

static void a_cpu_on_swapper_faults(struct kunit *test)
{
	struct findings found;
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		found = on_cpu(cpu, miss, NULL);
		KUNIT_EXPECT_EQ(test, found.on_swapper, -EFAULT);
		KUNIT_EXPECT_EQ(test, found.back, 0);
	}
	cpus_read_unlock();
}

static void a_cpu_finds_its_own_after_hotplug(struct kunit *test)
{
	unsigned int cpu, last = cpumask_last(cpu_online_mask);

	if (!last)
		kunit_skip(test, "one CPU");

	for (unsigned int round = 0; round < 3; round++) {
		KUNIT_ASSERT_EQ(test, remove_cpu(last), 0);
		KUNIT_ASSERT_EQ(test, add_cpu(last), 0);
		cpus_read_lock();
		for_each_online_cpu(cpu)
			expect_local(test, cpu);
		cpus_read_unlock();
	}
}

/* Goes to cpu_resume() as firmware does: with the MMU off, by physical address. */
static int resume_at_once(unsigned long unused)
{
	typeof(cpu_soft_restart) *restart = (void *)__pa_symbol(cpu_soft_restart);

	cpu_install_idmap();
	restart(is_hyp_nvhe(), __pa_symbol(cpu_resume), 0, 0, 0);
	unreachable();
}

static long suspend_and_resume(void *unused)
{
	unsigned long flags;
	long ret;

	local_irq_save(flags);
	ret = cpu_suspend(0, resume_at_once);
	local_irq_restore(flags);
	return ret;
}

static void a_cpu_finds_its_own_after_resume(struct kunit *test)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, work_on_cpu(cpu, suspend_and_resume, NULL), 0);
		cpus_read_lock();
		expect_local(test, cpu);
		cpus_read_unlock();
	}
}

/* The part of vmalloc that one entry covers at the level of the window, still empty. */
static struct vm_struct *unused_entry(void)
{
	unsigned long addr;

	for (addr = ALIGN(VMALLOC_START, PERCPU_LOCAL_SIZE);
	     addr + PERCPU_LOCAL_SIZE <= VMALLOC_END; addr += PERCPU_LOCAL_SIZE)
		if (p4d_none(READ_ONCE(*p4d_offset(pgd_offset_k(addr), addr))))
			return __get_vm_area_caller(PERCPU_LOCAL_SIZE - PAGE_SIZE, VM_MAP,
						    addr, addr + PERCPU_LOCAL_SIZE,
						    __builtin_return_address(0));
	return NULL;
}

static void expect_shared(struct kunit *test, const void *addr)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, on_cpu(cpu, read_shared, addr).shared, 0);
	cpus_read_unlock();
}

static void expect_status(struct kunit *test, const void *addr, u64 status)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, on_cpu(cpu, read_status, addr).status, status);
	cpus_read_unlock();
}

/* As memory hot-add writes an entry. */
static void clear_through_fixmap(pgd_t *pgdp, unsigned long addr)
{
	p4d_clear(p4d_set_fixmap_offset(pgdp, addr));
	p4d_clear_fixmap();
}

/* Takes the tables away that lead to an address, as memory hot-remove does. */
static void remove_tables(unsigned long addr, bool through_fixmap)
{
	pgd_t *pgdp = pgd_offset_k(addr);
	p4d_t *p4dp = p4d_offset(pgdp, addr);
	pud_t *pudp = pud_offset(p4dp, addr);
	pmd_t *pmdp = pmd_offset(pudp, addr);
	pte_t *ptep = pte_offset_kernel(pmdp, addr);

	if (through_fixmap)
		clear_through_fixmap(pgdp, addr);
	else
		p4d_clear(p4dp);
	flush_tlb_all();
	pte_free_kernel(&init_mm, ptep);
	pmd_free(&init_mm, pmdp);
	mm_dec_nr_pmds(&init_mm);
	pud_free(&init_mm, pudp);
	mm_dec_nr_puds(&init_mm);
}

static void come_and_go(struct kunit *test, unsigned long addr, struct page *page,
			bool through_fixmap)
{
	const void *start = (const void *)addr;

	expect_status(test, start, TRANSLATION_LEVEL_0);
	KUNIT_ASSERT_EQ(test, vmap_page_range(addr, addr + PAGE_SIZE,
					      page_to_phys(page), PAGE_KERNEL), 0);
	expect_shared(test, start);
	vunmap_range(addr, addr + PAGE_SIZE);
	expect_status(test, start, TRANSLATION_LEVEL_3);
	remove_tables(addr, through_fixmap);
	expect_status(test, start, TRANSLATION_LEVEL_0);
}

static void entries_come_and_go_on_every_cpu(struct kunit *test)
{
	struct vm_struct *area = unused_entry();
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_NOT_NULL(test, area);
	*(unsigned long *)page_address(page) = MARK;

	come_and_go(test, (unsigned long)area->addr, page, false);
	come_and_go(test, (unsigned long)area->addr, page, true);

	free_vm_area(area);
	__free_page(page);
}

/* At boot the kernel's read-only data is not protected yet; run the test again later. */
static void every_root_is_as_writable_as_the_kernels(struct kunit *test)
{
	bool read_only = system_state >= SYSTEM_RUNNING && rodata_enabled &&
			 can_set_direct_map();
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, on_cpu(cpu, write_root, NULL).written,
				read_only ? -EFAULT : 0);
	cpus_read_unlock();
}

/* A kernel that has stood down has nothing to test. */
static int is_on(struct kunit *test)
{
	if (read_counter())
		kunit_skip(test, "percpu_local is off");
	return 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_cpu_finds_its_own),
	KUNIT_CASE(every_static_page_is_this_cpus),
	KUNIT_CASE(what_modules_get_is_this_cpus),
	KUNIT_CASE(chunks_come_and_go),
	KUNIT_CASE(no_two_chunks_have_one_place),
	KUNIT_CASE(a_cpu_on_swapper_faults),
	KUNIT_CASE_SLOW(a_cpu_finds_its_own_after_hotplug),
	KUNIT_CASE(a_cpu_finds_its_own_after_resume),
	KUNIT_CASE(entries_come_and_go_on_every_cpu),
	KUNIT_CASE(every_root_is_as_writable_as_the_kernels),
	{}
};

static struct kunit_suite suite = {
	.name = "arm64-percpu-local",
	.init = is_on,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of percpu data at one address");
MODULE_LICENSE("GPL");
