// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the host asks for: files below /granule in the initramfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

/* All of @path with a NUL behind it, or NULL when there is no such file. */
static char *read_whole(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text;

	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0 || fstat(fd, &st) < 0)
		give_up("cannot read %s: %s", path, strerror(errno));
	text = calloc(1, st.st_size + 1);
	if (!text || read(fd, text, st.st_size) != st.st_size)
		give_up("cannot read all of %s", path);
	close(fd);
	*size = st.st_size;
	return text;
}

static size_t count_terminators(const char *text, size_t size, char terminator)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += text[i] == terminator;
	return count;
}

/**
 * read_strings - the strings in a file, each ended by @terminator
 *
 * A file that does not exist holds none.  The strings are never freed: they
 * are needed until power-off.
 */
struct strings read_strings(const char *path, char terminator)
{
	struct strings strings = { 0 };
	size_t size = 0;
	char *text = read_whole(path, &size);
	char *start = text;

	strings.item = calloc(count_terminators(text, size, terminator) + 1, sizeof(char *));
	if (!strings.item)
		give_up("no memory for the strings in %s", path);
	for (char *byte = text; byte < text + size; byte++) {
		if (*byte != terminator)
			continue;
		*byte = '\0';
		strings.item[strings.count++] = start;
		start = byte + 1;
	}
	return strings;
}

struct options read_options(void)
{
	struct strings lines = read_strings(GRANULE_DIR "/options", '\n');
	struct options options = { 0 };

	for (size_t i = 0; i < lines.count; i++) {
		if (!strcmp(lines.item[i], "symbols=1"))
			options.symbols = true;
		else if (!strcmp(lines.item[i], "shell=1"))
			options.shell = true;
		else if (!strstr(lines.item[i], "=0"))
			give_up("unknown option '%s'", lines.item[i]);
	}
	return options;
}
