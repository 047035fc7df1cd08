// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a program and writes down the tags of its memory at moments of its life:
 *
 *	dump-tags [-e NAME=VALUE]... [-m MOMENTS] [-d EACH] [-l LOAD] PROGRAM [ARGUMENT]...
 *
 * The program runs three times: to fill caches, to learn how much CPU time it takes,
 * then traced.
 * It is stopped when it has used 1/M, 2/M, ... of that time, and, for the last of
 * the M moments, when it exits and its memory is still there.  Its standard output
 * goes to /dev/null.  A LOAD is a shell command that runs beside a server; the
 * server is told to end when its load has ended.  Of each EACHth tagged page the
 * data are written too.
 *
 * Of every mapping with PROT_MTE each present page is a line with a hexadecimal
 * digit for each granule, read with PTRACE_PEEKMTETAGS.  Other lines:
 *
 *	moment I of M after SECONDS s
 *	memory tagged KIB other KIB	anonymous memory in and out of PROT_MTE mappings
 *	at ADDRESS			of the next page, where it does not follow the last
 *	data HEX			of the page of the line before
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PTRACE_PEEKMTETAGS
#define PTRACE_PEEKMTETAGS 33
#endif

#define GRANULE_BYTES	16
#define MOST_TAGS	4096	/* of a page of 64 KiB */
#define MOST_VARIABLES	16
#define PM_PRESENT	(1ULL << 63)
#define PM_PFN		((1ULL << 55) - 1)
#define POLL_NS		1000000

struct request {
	char **argv;
	char *variables[MOST_VARIABLES];
	int variable_count;
	int moments;
	int each;		/* data of each so many pages; 0 for none */
	const char *load;
};

struct dump {
	pid_t pid;
	int pagemap, memory;
	size_t page_bytes;
	uint64_t zero_pfn;
	int each;
	long pages;		/* with a tag, so far */
	uint64_t next;		/* address after the last page written */
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
}

static double seconds(struct timespec time)
{
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* ------------------------------------------------------------ the program */

static void become_program(const struct request *request, int go)
{
	char byte;
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || read(go, &byte, 1) != 1)
		fail("start");
	close(go);
	dup2(null, STDOUT_FILENO);
	for (int i = 0; i < request->variable_count; i++)
		putenv(request->variables[i]);
	execvp(request->argv[0], request->argv);
	fail(request->argv[0]);
}

/* A child that waits for a byte in @go before it becomes the program. */
static pid_t prepare_program(const struct request *request, int *go)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends) || (pid = fork()) < 0)
		fail("fork");
	if (!pid) {
		close(ends[1]);
		become_program(request, ends[0]);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static void start_program(int go)
{
	if (write(go, "", 1) != 1)
		fail("start");
	close(go);
}

/* Ends the server @server when the load has ended; 0 if there is none. */
static pid_t start_load(const struct request *request, pid_t server)
{
	pid_t pid;

	if (!request->load)
		return 0;
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid)
		return pid;
	if (system(request->load))
		fprintf(stderr, "dump-tags: the load failed\n");
	kill(server, SIGTERM);
	_exit(0);
}

/* CPU seconds of the program when nobody looks. */
static double measure_program(const struct request *request)
{
	struct rusage usage;
	pid_t pid, load;
	int go, status;

	pid = prepare_program(request, &go);
	start_program(go);
	load = start_load(request, pid);
	if (wait4(pid, &status, 0, &usage) != pid)
		fail("wait4");
	if (WIFEXITED(status) && WEXITSTATUS(status))
		fprintf(stderr, "dump-tags: %s exited with %d\n", request->argv[0],
			WEXITSTATUS(status));
	if (load)
		waitpid(load, NULL, 0);
	return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 +
	       usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
}

/* ---------------------------------------------------------------- a page */

static uint64_t pagemap_entry(const struct dump *dump, uint64_t address)
{
	uint64_t entry = 0;

	if (pread(dump->pagemap, &entry, sizeof(entry), address / dump->page_bytes * 8) < 0)
		fail("pagemap");
	return entry;
}

/* The page of zeroes that reads of fresh memory see is nobody's to swap. */
static bool is_there(const struct dump *dump, uint64_t address)
{
	uint64_t entry = pagemap_entry(dump, address);

	return (entry & PM_PRESENT) && (entry & PM_PFN) != dump->zero_pfn;
}

static void write_hex(const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf("%02x", bytes[i]);
}

static void write_data(const struct dump *dump, uint64_t address)
{
	static uint8_t data[MOST_TAGS * GRANULE_BYTES];

	if (pread(dump->memory, data, dump->page_bytes, address) != (ssize_t)dump->page_bytes)
		fail("read the program's memory");
	printf("data ");
	write_hex(data, dump->page_bytes);
	putchar('\n');
}

static bool write_tags(const struct dump *dump, uint64_t address)
{
	uint8_t tags[MOST_TAGS];
	size_t count = dump->page_bytes / GRANULE_BYTES;
	struct iovec iov = { tags, count };
	bool any = false;

	if (ptrace(PTRACE_PEEKMTETAGS, dump->pid, address, &iov) || iov.iov_len != count)
		fail("PTRACE_PEEKMTETAGS");
	for (size_t i = 0; i < count; i++) {
		any |= tags[i] != 0;
		putchar("0123456789abcdef"[tags[i] & 15]);
	}
	putchar('\n');
	return any;
}

static void write_page(struct dump *dump, uint64_t address)
{
	if (address != dump->next)
		printf("at %#llx\n", (unsigned long long)address);
	dump->next = address + dump->page_bytes;
	if (write_tags(dump, address) && dump->each && dump->pages++ % dump->each == 0)
		write_data(dump, address);
}

/* -------------------------------------------------------------- the whole */

static void write_mapping(struct dump *dump, uint64_t start, uint64_t end)
{
	for (uint64_t address = start; address < end; address += dump->page_bytes)
		if (is_there(dump, address))
			write_page(dump, address);
}

/* Goes through /proc/PID/smaps, whose VmFlags end the lines of a mapping. */
static void write_mappings(struct dump *dump)
{
	char path[64], line[512];
	unsigned long long start = 0, end = 0, from, to;
	unsigned long tagged = 0, other = 0, kib = 0;
	FILE *smaps;

	snprintf(path, sizeof(path), "/proc/%d/smaps", dump->pid);
	smaps = fopen(path, "r");
	if (!smaps)
		fail(path);
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%llx-%llx ", &from, &to) == 2) {
			start = from;
			end = to;
		}
		sscanf(line, "Anonymous: %lu kB", &kib);
		if (strncmp(line, "VmFlags:", 8))
			continue;
		if (strstr(line, " mt")) {
			tagged += kib;
			write_mapping(dump, start, end);
		} else {
			other += kib;
		}
	}
	fclose(smaps);
	printf("memory tagged %lu other %lu\n", tagged, other);
}

static int open_of(pid_t pid, const char *name)
{
	char path[64];
	int file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = open(path, O_RDONLY);
	if (file < 0)
		fail(path);
	return file;
}

static uint64_t zero_page(struct dump *self)
{
	volatile char *page = mmap(NULL, self->page_bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		fail("mmap");
	(void)*page;
	return pagemap_entry(self, (uint64_t)(uintptr_t)page) & PM_PFN;
}

static void write_dump(pid_t pid, int each)
{
	struct dump self = { .page_bytes = sysconf(_SC_PAGESIZE) }, dump = self;

	self.pagemap = open_of(getpid(), "pagemap");
	dump.zero_pfn = zero_page(&self);
	close(self.pagemap);
	dump.pid = pid;
	dump.each = each;
	dump.pagemap = open_of(pid, "pagemap");
	dump.memory = open_of(pid, "mem");
	write_mappings(&dump);
	close(dump.pagemap);
	close(dump.memory);
}

/* ---------------------------------------------------------------- tracing */

/* Lets the program go on, with its signal if that is why it stopped. */
static void go_on(pid_t pid, int status)
{
	int signal = WSTOPSIG(status);
	bool event = status >> 16;

	ptrace(PTRACE_CONT, pid, 0, event ? 0 : signal);
}

static bool is_exit(int status)
{
	return WIFSTOPPED(status) && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
}

static bool is_interrupt(int status)
{
	return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP;
}

/* Sleeps until the program has used its time (then stops it) or stops by itself. */
static int wait_for_moment(pid_t pid, clockid_t clock, double moment)
{
	bool interrupted = false;
	struct timespec now;
	int status;

	while (!waitpid(pid, &status, WNOHANG)) {
		if (!interrupted && !clock_gettime(clock, &now) && seconds(now) >= moment)
			interrupted = !ptrace(PTRACE_INTERRUPT, pid, 0, 0);
		nap();
	}
	return status;
}

static void write_moments(const struct request *request, pid_t pid, double total)
{
	clockid_t clock;
	int moment = 1, status;

	if (clock_getcpuclockid(pid, &clock))
		fail("clock_getcpuclockid");
	do {
		double next = moment < request->moments ? total * moment / request->moments : 1e9;

		status = wait_for_moment(pid, clock, next);
		if (is_exit(status))
			moment = request->moments;
		if (is_exit(status) || is_interrupt(status)) {
			struct timespec now;

			clock_gettime(clock, &now);
			printf("moment %d of %d after %.3f s\n", moment, request->moments,
			       seconds(now));
			write_dump(pid, request->each);
			moment++;
		}
		if (WIFSTOPPED(status))
			go_on(pid, status);
	} while (WIFSTOPPED(status) && !is_exit(status));
}

static void trace_program(const struct request *request, double total)
{
	pid_t pid, load;
	int go;

	pid = prepare_program(request, &go);
	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXIT))
		fail("PTRACE_SEIZE");
	start_program(go);
	load = start_load(request, pid);
	write_moments(request, pid, total);
	waitpid(pid, NULL, 0);
	if (load)
		waitpid(load, NULL, 0);
}

static void add_variable(struct request *request, char *variable)
{
	if (request->variable_count == MOST_VARIABLES) {
		fprintf(stderr, "dump-tags: too many variables\n");
		exit(2);
	}
	request->variables[request->variable_count++] = variable;
}

int main(int argc, char **argv)
{
	struct request request = { .moments = 1 };
	int option;

	while ((option = getopt(argc, argv, "+e:m:d:l:")) != -1) {
		switch (option) {
		case 'e': add_variable(&request, optarg); break;
		case 'm': request.moments = atoi(optarg); break;
		case 'd': request.each = atoi(optarg); break;
		case 'l': request.load = optarg; break;
		default: return 2;
		}
	}
	if (optind == argc || request.moments < 1) {
		fprintf(stderr, "usage: dump-tags [-e NAME=VALUE]... [-m MOMENTS] [-d EACH] "
				"[-l LOAD] PROGRAM [ARGUMENT]...\n");
		return 2;
	}
	request.argv = argv + optind;
	measure_program(&request);
	trace_program(&request, measure_program(&request));
	return 0;
}
