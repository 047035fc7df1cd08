// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of this_cpu_*() of each width, done by threads that are preempted and
 * moved between CPUs, and by interrupts on every CPU.  No update may be lost and none
 * made twice, whatever comes between an operation's instructions.
 *
 * They do not care how the operations are made, and pass with percpu_local=off too.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/smp.h>

static unsigned int seconds = 2;
module_param(seconds, uint, 0644);
MODULE_PARM_DESC(seconds, "how long each test hammers");

#define MAX_THREADS	32

enum { INDEX_8, INDEX_16, INDEX_32, INDEX_64, WIDTHS };

/* The data of one CPU, of one width; what the CPUs' sum up to is known. */
#define DEFINE_DATA(w)							\
struct data_##w {							\
	u##w id;		/* the CPU's number */			\
	u##w added;							\
	u##w returned;							\
	u##w compared;							\
	u##w exchanged;		/* a token */				\
	u##w bits;		/* bit 0 interrupts', others threads' */ \
	u##w written;							\
};									\
									\
static DEFINE_PER_CPU(struct data_##w, static_##w)

DEFINE_DATA(8);
DEFINE_DATA(16);
DEFINE_DATA(32);
DEFINE_DATA(64);

/* What one thread has done, or the interrupts of one CPU, for each width. */
struct work {
	u64 rounds;
	u64 added[WIDTHS];
	u64 compared[WIDTHS];
	u64 token[WIDTHS];
	u64 wrong;
	struct task_struct *task;
};

static struct work threads[MAX_THREADS];
static DEFINE_PER_CPU(struct work, interrupts);

/* What the tokens of one width sum up to, wherever they are. */
static u64 tokens[WIDTHS];

/* The data in use: static, or in chunks. */
static struct {
	struct data_8 __percpu *of_8;
	struct data_16 __percpu *of_16;
	struct data_32 __percpu *of_32;
	struct data_64 __percpu *of_64;
} data;

/*
 * One round on whichever CPU this is, and whether or not that changes from one line to
 * the next.  A thread's bit is set and cleared for the sake of the others.
 */
#define DEFINE_ROUND(w)							\
static void round_##w(struct work *work, u##w bit)			\
{									\
	struct data_##w __percpu *ptr = data.of_##w;			\
	u##w old, next, step = work->rounds * 3 + 1;			\
									\
	this_cpu_add(ptr->added, step);					\
	this_cpu_add_return(ptr->returned, step);			\
	work->added[INDEX_##w] += step;					\
									\
	old = this_cpu_read(ptr->compared);				\
	next = old + 1;							\
	if (this_cpu_cmpxchg(ptr->compared, old, next) == old)		\
		work->compared[INDEX_##w]++;				\
									\
	work->token[INDEX_##w] = this_cpu_xchg(ptr->exchanged,		\
					   (u##w)work->token[INDEX_##w]);	\
	this_cpu_or(ptr->bits, bit);					\
	this_cpu_and(ptr->bits, (u##w)~bit);				\
	this_cpu_write(ptr->written, step);				\
}									\
									\
static void stay_##w(struct work *work)					\
{									\
	u##w cpu;							\
									\
	migrate_disable();						\
	cpu = smp_processor_id();					\
	work->wrong += this_cpu_read(data.of_##w->id) != cpu;		\
	migrate_enable();						\
}									\
									\
/* Not interrupted: bit 0 is as the last interrupt left it, unless an update was lost. */ \
static void alone_##w(struct work *work)				\
{									\
	struct data_##w __percpu *ptr = data.of_##w;			\
	bool set = work->rounds & 1;					\
									\
	work->wrong += (this_cpu_read(ptr->bits) & 1) != set;		\
	if (set)							\
		this_cpu_and(ptr->bits, (u##w)~1);			\
	else								\
		this_cpu_or(ptr->bits, 1);				\
	work->wrong += this_cpu_add_return(ptr->returned, 0) !=		\
		       this_cpu_read(ptr->returned);			\
	this_cpu_write(ptr->written, work->rounds);			\
	work->wrong += this_cpu_read(ptr->written) != (u##w)work->rounds; \
}									\
									\
static void expect_##w(struct kunit *test)				\
{									\
	u##w added = 0, compared = 0, token = 0, returned = 0;		\
	unsigned int cpu;						\
									\
	for_each_possible_cpu(cpu) {					\
		struct data_##w *ptr = per_cpu_ptr(data.of_##w, cpu);	\
		struct work *work = per_cpu_ptr(&interrupts, cpu);	\
									\
		added += ptr->added - work->added[INDEX_##w];		\
		returned += ptr->returned - work->added[INDEX_##w];		\
		compared += ptr->compared - work->compared[INDEX_##w];	\
		token += ptr->exchanged + work->token[INDEX_##w];		\
	}								\
	for (int n = 0; n < MAX_THREADS; n++) {				\
		added -= threads[n].added[INDEX_##w];			\
		returned -= threads[n].added[INDEX_##w];			\
		compared -= threads[n].compared[INDEX_##w];			\
		token += threads[n].token[INDEX_##w];			\
	}								\
	KUNIT_EXPECT_EQ(test, added, 0);				\
	KUNIT_EXPECT_EQ(test, returned, 0);				\
	KUNIT_EXPECT_EQ(test, compared, 0);				\
	KUNIT_EXPECT_EQ(test, token, tokens[INDEX_##w]);			\
}									\
									\
static void prepare_##w(void)						\
{									\
	unsigned int cpu;						\
									\
	for_each_possible_cpu(cpu) {					\
		struct data_##w *ptr = per_cpu_ptr(data.of_##w, cpu);	\
									\
		memset(ptr, 0, sizeof(*ptr));				\
		ptr->id = cpu;						\
		ptr->exchanged = get_random_u64();			\
		tokens[INDEX_##w] += ptr->exchanged;			\
	}								\
	for (int n = 0; n < MAX_THREADS; n++) {				\
		threads[n].token[INDEX_##w] = (u##w)get_random_u64();	\
		tokens[INDEX_##w] += threads[n].token[INDEX_##w];		\
	}								\
	tokens[INDEX_##w] = (u##w)tokens[INDEX_##w];				\
}

DEFINE_ROUND(8)
DEFINE_ROUND(16)
DEFINE_ROUND(32)
DEFINE_ROUND(64)

static void do_round(struct work *work, unsigned int bit)
{
	u8 mask = BIT(1 + bit % 7);

	round_8(work, mask);
	round_16(work, mask << 8);
	round_32(work, mask << 24);
	round_64(work, (u64)mask << 56);
	work->rounds++;
}

static int hammer(void *arg)
{
	struct work *work = arg;

	while (!kthread_should_stop()) {
		for (int n = 0; n < 64; n++)
			do_round(work, work - threads);
		stay_8(work);
		stay_16(work);
		stay_32(work);
		stay_64(work);
		cond_resched();
	}
	return 0;
}

static void interrupt(void *unused)
{
	struct work *work = this_cpu_ptr(&interrupts);

	alone_8(work);
	alone_16(work);
	alone_32(work);
	alone_64(work);
	do_round(work, 0);
}

static void move(struct task_struct *task)
{
	unsigned int cpu = get_random_u32_below(nr_cpu_ids);

	/* A CPU that is not there is refused, and the thread stays. */
	set_cpus_allowed_ptr(task, cpumask_of(cpu));
}

static void away_and_back(struct kunit *test)
{
	unsigned int last = cpumask_last(cpu_online_mask);

	KUNIT_EXPECT_EQ(test, remove_cpu(last), 0);
	on_each_cpu(interrupt, NULL, true);
	KUNIT_EXPECT_EQ(test, add_cpu(last), 0);
}

static unsigned int start(struct kunit *test)
{
	unsigned int nr = min(2 * num_online_cpus(), MAX_THREADS);

	for (unsigned int n = 0; n < nr; n++) {
		struct task_struct *task = kthread_run(hammer, &threads[n], "percpu-%u", n);

		KUNIT_EXPECT_FALSE(test, IS_ERR(task));
		if (IS_ERR(task))
			return n;
		threads[n].task = task;
	}
	return nr;
}

static void interrupt_and_move(struct kunit *test, unsigned int nr, bool hotplug)
{
	unsigned long end = jiffies + seconds * HZ;

	/* Else it would wait for its turn among the threads. */
	sched_set_fifo_low(current);
	for (unsigned int n = 1; time_before(jiffies, end); n++) {
		on_each_cpu(interrupt, NULL, true);
		move(threads[get_random_u32_below(nr)].task);
		if (hotplug && !(n % 512))
			away_and_back(test);
		usleep_range(50, 100);
	}
	sched_set_normal(current, 0);
}

static void prepare(void)
{
	unsigned int cpu;

	memset(threads, 0, sizeof(threads));
	memset(tokens, 0, sizeof(tokens));
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&interrupts, cpu), 0, sizeof(struct work));
	prepare_8();
	prepare_16();
	prepare_32();
	prepare_64();
}

static void run(struct kunit *test, bool hotplug)
{
	unsigned int cpu, nr;
	u64 wrong = 0, rounds = 0, interrupted = 0;

	prepare();
	nr = start(test);
	if (nr)
		interrupt_and_move(test, nr, hotplug);
	for (unsigned int n = 0; n < nr; n++) {
		kthread_stop(threads[n].task);
		wrong += threads[n].wrong;
		rounds += threads[n].rounds;
	}
	for_each_possible_cpu(cpu) {
		wrong += per_cpu(interrupts, cpu).wrong;
		interrupted += per_cpu(interrupts, cpu).rounds;
	}

	kunit_info(test, "%llu rounds of %u threads, %llu of interrupts\n", rounds, nr,
		   interrupted);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GT(test, rounds, 0);
	expect_8(test);
	expect_16(test);
	expect_32(test);
	expect_64(test);
}

static void use_static(void)
{
	data.of_8 = &static_8;
	data.of_16 = &static_16;
	data.of_32 = &static_32;
	data.of_64 = &static_64;
}

static void no_static_update_is_lost(struct kunit *test)
{
	use_static();
	run(test, false);
}

static void no_static_update_is_lost_under_hotplug(struct kunit *test)
{
	if (num_online_cpus() == 1)
		kunit_skip(test, "one CPU");

	use_static();
	run(test, true);
}

/* Each as large as can be, so that they are not in the first chunk. */
static void no_update_in_chunks_is_lost(struct kunit *test)
{
	data.of_8 = __alloc_percpu(PCPU_MIN_UNIT_SIZE, PAGE_SIZE);
	data.of_16 = __alloc_percpu(PCPU_MIN_UNIT_SIZE, PAGE_SIZE);
	data.of_32 = __alloc_percpu(PCPU_MIN_UNIT_SIZE, PAGE_SIZE);
	data.of_64 = __alloc_percpu(PCPU_MIN_UNIT_SIZE, PAGE_SIZE);

	if (data.of_8 && data.of_16 && data.of_32 && data.of_64)
		run(test, false);
	else
		KUNIT_FAIL(test, "no memory for percpu data");

	free_percpu(data.of_8);
	free_percpu(data.of_16);
	free_percpu(data.of_32);
	free_percpu(data.of_64);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_SLOW(no_static_update_is_lost),
	KUNIT_CASE_SLOW(no_static_update_is_lost_under_hotplug),
	KUNIT_CASE_SLOW(no_update_in_chunks_is_lost),
	{}
};

static struct kunit_suite suite = {
	.name = "arm64-percpu-ops",
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("KUnit tests of this_cpu operations");
MODULE_LICENSE("GPL");
