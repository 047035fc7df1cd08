// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order of a run, from the first mount to power-off.
 */
#include <stdio.h>

#include "init.h"

#define RESULTS_PORT	"granule-results"

static void prepare_userland(void)
{
	mount_in_userland();
	copy_tree(GRANULE_DIR "/copy", ROOT_DIR HOME_DIR);
	name_host();
	bring_up_loopback();
}

static void run_for_results(const struct options *options)
{
	char status[64];

	set_results_port(wait_for_port(RESULTS_PORT));
	prepare_userland();
	settle();
	run_command(options, status, sizeof(status));
	if (options->symbols)
		keep_symbols();
	write_results(status);
}

static void run_on_console(const struct options *options)
{
	char status[64];

	prepare_userland();
	run_command(options, status, sizeof(status));
	printf("granule-init: %s\n", status);
}

int main(void)
{
	struct options options;

	mount_kernel_filesystems();
	options = read_options();
	load_modules();
	if (options.shell)
		run_on_console(&options);
	else
		run_for_results(&options);
	power_off();
}
