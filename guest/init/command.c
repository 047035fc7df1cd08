// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs the command between the marks of the region "command".
 *
 * All preparation is done before the open mark, so the region holds one
 * execve(), the command, and the exit and wait that end it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../include/granule.h"
#include "init.h"

#define DEFAULT_PATH	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define CONSOLE		"/dev/ttyAMA0"

static const char region[] = "command";

struct command {
	struct strings argv;
	struct strings env;
	int failure[2];		/* a pipe: the errno of an execve() that failed */
};

static struct command read_command(const struct options *options)
{
	static char *shell[] = { "/bin/bash", "-l", NULL };
	struct command command = {
		.argv = read_strings(GRANULE_DIR "/argv", '\0'),
		.env = read_strings(GRANULE_DIR "/env", '\0'),
	};

	if (!command.argv.count && options->shell)
		command.argv = (struct strings){ shell, 2 };
	if (!command.argv.count)
		give_up("there is no command in " GRANULE_DIR "/argv");
	if (pipe2(command.failure, O_CLOEXEC))
		give_up("cannot make a pipe: %s", strerror(errno));
	return command;
}

static const char *search_path(const struct strings *env)
{
	for (size_t i = 0; i < env->count; i++)
		if (!strncmp(env->item[i], "PATH=", 5))
			return env->item[i] + 5;
	return DEFAULT_PATH;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/*
 * The file execve() gets for @name: itself when it has a slash, else the first
 * hit on the PATH, or NULL.
 */
static const char *resolve(const char *name, const struct strings *env)
{
	char *directories = strdup(search_path(env));
	char *path = NULL;

	if (strchr(name, '/') || !directories)
		return name;
	for (char *directory = strtok(directories, ":"); directory;
	     directory = strtok(NULL, ":")) {
		if (asprintf(&path, "%s/%s", directory, name) < 0)
			return NULL;
		if (is_program(path))
			return path;
		free(path);
	}
	return NULL;
}

static void redirect(const char *path, int flags, int fd)
{
	int file = open(path, flags, 0600);

	if (file < 0 || dup2(file, fd) < 0)
		_exit(127);
	close(file);
}

/* Files in a tmpfs: a console interrupt in the region would be counted. */
static void attach_files(void)
{
	redirect("/dev/null", O_RDONLY, STDIN_FILENO);
	redirect(OUTPUT_DIR "/stdout", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDOUT_FILENO);
	redirect(OUTPUT_DIR "/stderr", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, STDERR_FILENO);
}

static void attach_console(void)
{
	redirect(CONSOLE, O_RDWR, STDIN_FILENO);
	dup2(STDIN_FILENO, STDOUT_FILENO);
	dup2(STDIN_FILENO, STDERR_FILENO);
	ioctl(STDIN_FILENO, TIOCSCTTY, 0);
}

/*
 * Without address space randomisation, two kernels run the command at the
 * same addresses, and so touch the same number of table pages.
 */
static void enter_userland(void)
{
	personality(ADDR_NO_RANDOMIZE);
	if (chroot(ROOT_DIR) || chdir(HOME_DIR))
		_exit(127);
}

static void report_failure(const struct command *command, int error)
{
	if (write(command->failure[1], &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static void child(const struct command *command, bool on_console)
{
	const char *path;

	setsid();
	if (on_console)
		attach_console();
	else
		attach_files();
	enter_userland();
	path = resolve(command->argv.item[0], &command->env);
	if (!path)
		report_failure(command, ENOENT);
	granule_open(region);
	execve(path, command->argv.item, command->env.item);
	report_failure(command, errno);
}

/*
 * PID 1 inherits orphans, so others may come first.  The first read of the
 * region's name is before the wait: the close mark must find it mapped.
 */
static int wait_for(pid_t pid)
{
	int status = 0;
	pid_t reaped;

	(void)*(const volatile char *)region;
	do {
		reaped = waitpid(-1, &status, 0);
	} while (reaped != pid && (reaped > 0 || errno == EINTR));
	granule_close(region);
	return status;
}

/* Whatever the command left running must not write while results are read. */
static void end_leftovers(void)
{
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void describe(int status, int exec_error, char *text, size_t size)
{
	if (exec_error)
		snprintf(text, size, "exec %d", exec_error);
	else if (WIFSIGNALED(status))
		snprintf(text, size, "signal %d", WTERMSIG(status));
	else
		snprintf(text, size, "exit %d", WEXITSTATUS(status));
}

/**
 * run_command - run what the host asked for and say in @text how it ended
 *
 * @text becomes "exit N", "signal N" or "exec ERRNO", all decimal.
 */
void run_command(const struct options *options, char *text, size_t size)
{
	struct command command = read_command(options);
	int exec_error = 0;
	int status;
	pid_t pid = fork();

	if (pid < 0)
		give_up("cannot fork: %s", strerror(errno));
	if (!pid)
		child(&command, options->shell);
	close(command.failure[1]);
	status = wait_for(pid);
	end_leftovers();
	if (read(command.failure[0], &exec_error, sizeof(exec_error)) < 0)
		warn("cannot learn whether the command started");
	describe(status, exec_error, text, size);
}
