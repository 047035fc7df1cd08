#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf reports what it recorded of a find and a sort, with call chains.
perf record -q -a -g -e cpu-clock -F 999 -o perf.data -- \
	sh -c 'find /usr /proc | sort | md5sum' > /dev/null 2>&1
exec "$@" perf report -i perf.data --stdio --sort comm,dso,symbol
