// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernel modules, in the order the host worked out.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init.h"

static void load_module(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		give_up("cannot open the module %s: %s", path, strerror(errno));
	/* EEXIST: loaded already, or built in. */
	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		give_up("cannot load the module %s: %s", path, strerror(errno));
	close(fd);
}

void load_modules(void)
{
	struct strings paths = read_strings(GRANULE_DIR "/modules", '\n');

	for (size_t i = 0; i < paths.count; i++)
		load_module(paths.item[i]);
}
