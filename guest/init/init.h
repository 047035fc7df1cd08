/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Granule's PID 1: completes a userland, runs one command, hands back what it did.
 *
 * Everything here either succeeds or calls give_up(); there is nobody above
 * PID 1 who could act on an error code.
 */
#ifndef GRANULE_INIT_H
#define GRANULE_INIT_H

#include <stdbool.h>
#include <stddef.h>

#define GRANULE_DIR	"/granule"		/* what the host put in the initramfs */
#define ROOT_DIR	"/userland"		/* the command's root */
#define OUTPUT_DIR	"/output"		/* tmpfs that holds the members of the archive */
#define HOME_DIR	"/root"			/* the command's working directory */

/* A list of strings that ends in NULL, as execve() wants it. */
struct strings {
	char **item;
	size_t count;
};

struct options {
	bool symbols;	/* return /proc/kallsyms */
	bool shell;	/* run the command on the console */
};

/* give-up.c */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
void give_up(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void power_off(void) __attribute__((noreturn));

/* request.c: what the host asks for */
struct options read_options(void);
struct strings read_strings(const char *path, char terminator);

/* mount.c */
void mount_kernel_filesystems(void);
void mount_in_userland(void);

/* modules.c */
void load_modules(void);

/* settle.c */
void settle(void);

/* ports.c */
const char *wait_for_port(const char *name);

/* network.c */
void name_host(void);
void bring_up_loopback(void);

/* copy.c */
void copy_tree(const char *from, const char *to);
void copy_file(const char *from, const char *to, unsigned int mode);

/* command.c */
void run_command(const struct options *options, char *status, size_t size);

/* results.c */
void set_results_port(const char *node);
void keep_symbols(void);
void drop_output(void);
void write_results(const char *status);

#endif
