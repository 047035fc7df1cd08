// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies files and trees, keeping modes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

static void write_all(int fd, const char *data, size_t size, const char *path)
{
	while (size) {
		ssize_t written = write(fd, data, size);

		if (written < 0)
			give_up("cannot write %s: %s", path, strerror(errno));
		data += written;
		size -= written;
	}
}

/* Reads to the end rather than to st_size: files in /proc have none. */
void copy_file(const char *from, const char *to, unsigned int mode)
{
	static char buffer[1 << 16];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t got;

	if (in < 0 || out < 0)
		give_up("cannot copy %s to %s: %s", from, to, strerror(errno));
	while ((got = read(in, buffer, sizeof(buffer))) > 0)
		write_all(out, buffer, got, to);
	if (got < 0 || fchmod(out, mode))
		give_up("cannot copy %s to %s: %s", from, to, strerror(errno));
	close(in);
	close(out);
}

static void copy_link(const char *from, const char *to)
{
	char target[PATH_MAX] = "";

	if (readlink(from, target, sizeof(target) - 1) < 0 || symlink(target, to))
		give_up("cannot copy the link %s: %s", from, strerror(errno));
}

static void copy_entry(const char *from, const char *to)
{
	struct stat st;

	if (lstat(from, &st))
		give_up("cannot copy %s: %s", from, strerror(errno));
	if (S_ISLNK(st.st_mode)) {
		copy_link(from, to);
	} else if (S_ISDIR(st.st_mode)) {
		mkdir(to, st.st_mode & 07777);
		copy_tree(from, to);
	} else {
		copy_file(from, to, st.st_mode & 07777);
	}
}

/* Copies what is in the directory @from; does nothing when there is none. */
void copy_tree(const char *from, const char *to)
{
	DIR *directory = opendir(from);
	char source[PATH_MAX], target[PATH_MAX];
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(source, sizeof(source), "%s/%s", from, entry->d_name);
		snprintf(target, sizeof(target), "%s/%s", to, entry->d_name);
		copy_entry(source, target);
	}
	closedir(directory);
}
