// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a run ends: always in power-off, and never without a word why.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "init.h"

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("granule-init: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

void power_off(void)
{
	fflush(NULL);
	reboot(RB_POWER_OFF);
	/* A kernel without PSCI cannot; to exit makes it panic, which ends QEMU. */
	_exit(1);
}

/*
 * What the command printed may be what cannot be read back, so it is left out;
 * a second failure goes to the console alone.
 */
void give_up(const char *format, ...)
{
	static bool giving_up;
	char status[512] = "init ";
	size_t used = strlen(status);
	va_list args;

	va_start(args, format);
	vsnprintf(status + used, sizeof(status) - used, format, args);
	va_end(args);
	warn("%s", status + used);
	if (!giving_up) {
		giving_up = true;
		drop_output();
		write_results(status);
	}
	power_off();
}
