// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two processes that hand a byte to and fro through pipes on one CPU.  Each
 * round is two context switches and four system calls.
 *
 * Both run in the real-time class, first come first served, where the scheduler
 * decides by the order of events alone.  The fair class decides by the clock, and
 * the same work then takes another number of instructions on another kernel.
 */
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <granule.h>

#define ROUNDS	1000
#define WARM_UP	16

enum { READ, WRITE };

static bool receive(int end[2])
{
	char byte;

	return read(end[READ], &byte, 1) == 1;
}

static bool send_byte(int end[2])
{
	return write(end[WRITE], "x", 1) == 1;
}

/* Sends back what it gets until the other side has closed its end. */
static void answer(int questions[2], int answers[2])
{
	close(questions[WRITE]);
	while (receive(questions))
		if (!send_byte(answers))
			_exit(1);
	_exit(0);
}

static bool ask(int questions[2], int answers[2], unsigned int rounds)
{
	while (rounds--)
		if (!send_byte(questions) || !receive(answers))
			return false;
	return true;
}

static bool take_turns_on_one_cpu(void)
{
	const struct sched_param lowest = { .sched_priority = 1 };
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	return !sched_setaffinity(0, sizeof(first), &first) &&
	       !sched_setscheduler(0, SCHED_FIFO, &lowest);
}

int main(void)
{
	int questions[2], answers[2], status;
	bool right;

	if (pipe(questions) || pipe(answers) || !take_turns_on_one_cpu())
		return 1;
	if (!fork())
		answer(questions, answers);
	if (!ask(questions, answers, WARM_UP))
		return 1;
	granule_open("context-switch");
	right = ask(questions, answers, ROUNDS);
	granule_close("context-switch");
	close(questions[WRITE]);
	wait(&status);
	return right && !status ? 0 : 1;
}
