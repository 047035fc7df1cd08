// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices by name: virtio ports, and disks by their serial number.  The kernel
 * says when one appears (a uevent), so the wait costs nothing; the rounds are
 * bounded for a kernel without uevents and for a device that never comes.
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

#define ROUNDS		100
#define ROUND_MS	100

/* Where devices of a kind are listed, and which of their files has the name. */
struct kind {
	const char *folder;
	const char *attribute;
};

static const struct kind kinds[] = {
	{ "/sys/class/virtio-ports", "name" },
	{ "/sys/block", "serial" },
};

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

static bool has_value(const struct kind *kind, const char *entry, const char *value)
{
	char path[400], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", kind->folder, entry, kind->attribute);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, value);
}

static char *find_of_kind(const struct kind *kind, const char *name)
{
	DIR *folder = opendir(kind->folder);
	struct dirent *entry;
	char *node = NULL;

	if (!folder)
		return NULL;
	while (!node && (entry = readdir(folder))) {
		if (!has_value(kind, entry->d_name, name))
			continue;
		if (asprintf(&node, "/dev/%s", entry->d_name) < 0)
			give_up("no memory to name a device");
	}
	closedir(folder);
	return node;
}

static char *find_device(const char *name)
{
	char *node = NULL;

	for (size_t i = 0; !node && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		node = find_of_kind(&kinds[i], name);
	return node;
}

/**
 * wait_for_device - the device node of the virtio port or disk called @name
 *
 * Gives up when it has not come after ten seconds.
 */
const char *wait_for_device(const char *name)
{
	int uevents = listen_for_uevents();
	const char *node = find_device(name);

	for (int round = 0; !node && round < ROUNDS; round++) {
		wait_for_uevent(uevents);
		node = find_device(name);
	}
	if (uevents >= 0)
		close(uevents);
	if (!node)
		give_up("no device '%s'; the kernel needs CONFIG_VIRTIO_PCI with "
			"CONFIG_VIRTIO_CONSOLE or CONFIG_VIRTIO_BLK", name);
	return node;
}
