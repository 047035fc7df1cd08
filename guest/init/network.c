// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The only network there is: loopback, and the name of the host.
 */
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init.h"

void name_host(void)
{
	static const char name[] = "granule";

	sethostname(name, strlen(name));
}

/*
 * A kernel without networking can still run commands that need none, so this
 * only warns.
 */
void bring_up_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		warn("no loopback network; the kernel needs CONFIG_INET");
	if (fd >= 0)
		close(fd);
}
