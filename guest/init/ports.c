// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Virtio serial ports by name.  The kernel says when one appears (a uevent), so
 * the wait costs nothing; the rounds are bounded for a kernel without uevents
 * and for a port that never comes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init.h"

#define PORTS		"/sys/class/virtio-ports"
#define ROUNDS		100
#define ROUND_MS	100

static int listen_for_uevents(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = 1 };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

static void wait_for_uevent(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	char event[4096];

	/* poll() ignores a negative descriptor and just waits. */
	if (poll(&ready, 1, ROUND_MS) > 0)
		while (recv(fd, event, sizeof(event), 0) > 0)
			;
}

static bool has_name(const char *port, const char *name)
{
	char path[300], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), PORTS "/%s/name", port);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, name);
}

static char *find_port(const char *name)
{
	DIR *ports = opendir(PORTS);
	struct dirent *entry;
	char *node = NULL;

	if (!ports)
		return NULL;
	while (!node && (entry = readdir(ports))) {
		if (!has_name(entry->d_name, name))
			continue;
		if (asprintf(&node, "/dev/%s", entry->d_name) < 0)
			give_up("no memory to name a port");
	}
	closedir(ports);
	return node;
}

/**
 * wait_for_port - the device node of the virtio serial port called @name
 *
 * Gives up when it has not come after ten seconds.
 */
const char *wait_for_port(const char *name)
{
	int uevents = listen_for_uevents();
	const char *node = find_port(name);

	for (int round = 0; !node && round < ROUNDS; round++) {
		wait_for_uevent(uevents);
		node = find_port(name);
	}
	if (uevents >= 0)
		close(uevents);
	if (!node)
		give_up("no port '%s'; the kernel needs CONFIG_VIRTIO_PCI and "
			"CONFIG_VIRTIO_CONSOLE", name);
	return node;
}
