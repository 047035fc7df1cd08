// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filesystems: the kernel's own ones in the initramfs, and the userland.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

struct filesystem {
	const char *type;
	const char *path;
	const char *data;
	const char *config;	/* what the kernel lacks when the mount fails; NULL: not needed */
};

static const struct filesystem in_initramfs[] = {
	{ "devtmpfs", "/dev", "mode=0755", "CONFIG_DEVTMPFS" },
	{ "proc", "/proc", NULL, "CONFIG_PROC_FS" },
	{ "sysfs", "/sys", NULL, "CONFIG_SYSFS" },
	{ "tmpfs", OUTPUT_DIR, "mode=0700", "CONFIG_TMPFS" },
};

static const struct filesystem in_userland[] = {
	{ "devtmpfs", ROOT_DIR "/dev", "mode=0755", "CONFIG_DEVTMPFS" },
	{ "devpts", ROOT_DIR "/dev/pts", "ptmxmode=0666", NULL },
	{ "tmpfs", ROOT_DIR "/dev/shm", "mode=1777", "CONFIG_TMPFS" },
	{ "proc", ROOT_DIR "/proc", NULL, "CONFIG_PROC_FS" },
	{ "sysfs", ROOT_DIR "/sys", NULL, "CONFIG_SYSFS" },
	{ "debugfs", ROOT_DIR "/sys/kernel/debug", NULL, NULL },
	{ "tmpfs", ROOT_DIR "/tmp", "mode=1777", "CONFIG_TMPFS" },
	{ "tmpfs", ROOT_DIR "/run", "mode=0755", "CONFIG_TMPFS" },
};

static void mount_one(const struct filesystem *fs)
{
	mkdir(fs->path, 0755);
	if (!mount(fs->type, fs->path, fs->type, 0, fs->data) || !fs->config)
		return;
	/* CONFIG_DEVTMPFS_MOUNT may have been there first. */
	if (errno == EBUSY)
		return;
	give_up("cannot mount %s on %s: %s; the kernel needs %s",
		fs->type, fs->path, strerror(errno), fs->config);
}

static void mount_all(const struct filesystem *fs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		mount_one(&fs[i]);
}

/*
 * An initramfs without /dev/console leaves PID 1 without a standard error.
 */
static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR);

	if (fd < 0)
		return;
	for (int standard = 0; standard <= 2; standard++)
		dup2(fd, standard);
	if (fd > 2)
		close(fd);
}

void mount_kernel_filesystems(void)
{
	mount_all(in_initramfs, sizeof(in_initramfs) / sizeof(in_initramfs[0]));
	open_console();
}

/**
 * mount_in_userland - mount what a command expects in its root
 *
 * The userland came with the initramfs and stays in memory: a disk completes
 * its requests when the host pleases, and the same run would not be the same
 * twice.
 */
void mount_in_userland(void)
{
	if (access(ROOT_DIR "/usr", F_OK))
		give_up("the initramfs holds no userland in " ROOT_DIR);
	mount_all(in_userland, sizeof(in_userland) / sizeof(in_userland[0]));
}
