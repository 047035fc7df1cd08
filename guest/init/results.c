// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results: collected as files in a tmpfs, then written to the results
 * port as one POSIX ustar archive.  The member "status" comes last, so an
 * archive that has it is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "init.h"

#define BLOCK	512

struct ustar {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char linkname[100];
	char magic[6];
	char version[2];
	char user[32];
	char group[32];
	char devmajor[8];
	char devminor[8];
	char prefix[155];
	char padding[12];
};

_Static_assert(sizeof(struct ustar) == BLOCK, "a ustar header is one block");

static const char *results_port;

/** set_results_port - where write_results() shall write; without it nothing is */
void set_results_port(const char *node)
{
	results_port = node;
}

/** keep_symbols - return the addresses of the kernel's symbols */
void keep_symbols(void)
{
	copy_file("/proc/kallsyms", OUTPUT_DIR "/kallsyms", 0600);
}

/** drop_output - forget what the command printed, and the symbols */
void drop_output(void)
{
	unlink(OUTPUT_DIR "/stdout");
	unlink(OUTPUT_DIR "/stderr");
	unlink(OUTPUT_DIR "/kallsyms");
}

static void keep_text(const char *path, const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(text, 1, size, file) != size || fclose(file))
		give_up("cannot write %s: %s", path, strerror(errno));
}

static void keep_uname(void)
{
	struct utsname name;
	char text[sizeof(name) + 8];

	uname(&name);
	snprintf(text, sizeof(text), "%s %s %s %s %s\n", name.sysname, name.nodename,
		 name.release, name.version, name.machine);
	keep_text(OUTPUT_DIR "/uname", text, strlen(text));
}

#define SYSLOG_ACTION_READ_ALL		3
#define SYSLOG_ACTION_SIZE_BUFFER	10

static void keep_kernel_log(void)
{
	int size = klogctl(SYSLOG_ACTION_SIZE_BUFFER, NULL, 0);
	char *text = size > 0 ? malloc(size) : NULL;

	size = text ? klogctl(SYSLOG_ACTION_READ_ALL, text, size) : 0;
	keep_text(OUTPUT_DIR "/dmesg", text ? text : "", size > 0 ? size : 0);
	free(text);
}

static void keep_status(const char *status)
{
	char line[600];

	snprintf(line, sizeof(line), "%s\n", status);
	keep_text(OUTPUT_DIR "/status", line, strlen(line));
}

static void sign_header(struct ustar *header)
{
	const unsigned char *byte = (const unsigned char *)header;
	unsigned int sum = 0;

	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < BLOCK; i++)
		sum += byte[i];
	snprintf(header->checksum, sizeof(header->checksum), "%06o", sum);
}

static void write_header(FILE *port, const char *name, size_t size)
{
	struct ustar header = { .mode = "0000644", .uid = "0000000", .gid = "0000000",
				.mtime = "00000000000", .type = '0',
				.magic = "ustar", .version = "00" };

	snprintf(header.name, sizeof(header.name), "%s", name);
	snprintf(header.size, sizeof(header.size), "%011zo", size);
	sign_header(&header);
	fwrite(&header, BLOCK, 1, port);
}

static void write_content(FILE *port, FILE *file, size_t size)
{
	static char block[BLOCK];

	for (size_t done = 0; done < size; done += BLOCK) {
		memset(block, 0, BLOCK);
		if (!fread(block, 1, BLOCK, file))
			give_up("cannot read back a result");
		fwrite(block, BLOCK, 1, port);
	}
}

/* A member that was never made (no symbols asked for, nothing run) is left out. */
static void write_member(FILE *port, const char *name)
{
	char path[64];
	struct stat st;
	FILE *file;

	snprintf(path, sizeof(path), OUTPUT_DIR "/%s", name);
	file = fopen(path, "r");
	if (!file)
		return;
	if (fstat(fileno(file), &st))
		give_up("cannot read back %s", path);
	write_header(port, name, st.st_size);
	write_content(port, file, st.st_size);
	fclose(file);
}

static void write_archive(FILE *port)
{
	static const char *const members[] = {
		"stdout", "stderr", "uname", "dmesg", "kallsyms", "status",
	};
	static const char end[2 * BLOCK];

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		write_member(port, members[i]);
	fwrite(end, sizeof(end), 1, port);
}

/**
 * write_results - write all there is about the run to the results port
 * @status: how the run ended, in the words of the guest protocol
 */
void write_results(const char *status)
{
	FILE *port;

	if (!results_port)
		return;
	keep_uname();
	keep_kernel_log();
	keep_status(status);
	port = fopen(results_port, "w");
	if (!port)
		give_up("cannot open the results port: %s", strerror(errno));
	write_archive(port);
	if (fflush(port) || ferror(port))
		give_up("cannot write the results: %s", strerror(errno));
	fclose(port);
}
