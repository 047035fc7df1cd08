// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Disks by serial number.  The kernel says when a disk appears (a uevent), so
 * the wait costs nothing; the rounds are bounded for a kernel without uevents
 * and for a disk that never comes.
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

static bool has_serial(const char *disk, const char *serial)
{
	char path[300], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/block/%s/serial", disk);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, serial);
}

static char *find_disk(const char *serial)
{
	DIR *blocks = opendir("/sys/block");
	struct dirent *entry;
	char *device = NULL;

	if (!blocks)
		return NULL;
	while (!device && (entry = readdir(blocks))) {
		if (strncmp(entry->d_name, "vd", 2) || !has_serial(entry->d_name, serial))
			continue;
		if (asprintf(&device, "/dev/%s", entry->d_name) < 0)
			give_up("no memory to name a disk");
	}
	closedir(blocks);
	return device;
}

/**
 * wait_for_disk - the device node of the virtio disk with @serial
 *
 * Gives up when the disk has not come after ten seconds.
 */
const char *wait_for_disk(const char *serial)
{
	int uevents = listen_for_uevents();
	const char *device = find_disk(serial);

	for (int round = 0; !device && round < ROUNDS; round++) {
		wait_for_uevent(uevents);
		device = find_disk(serial);
	}
	if (uevents >= 0)
		close(uevents);
	if (!device)
		give_up("no disk '%s'; the kernel needs CONFIG_VIRTIO_PCI and CONFIG_VIRTIO_BLK",
			serial);
	return device;
}
