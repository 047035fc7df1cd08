#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# hotplug.sh SECONDS: takes CPUs away and brings them back while memory is short and
# programs with tagged heaps, and the MTE selftests in mte/, run. Exits with 0 if every
# program ended well and kmemleak, where the kernel has it, found nothing.
set -u

seconds=$1
cpus=/sys/devices/system/cpu
kmemleak=/sys/kernel/debug/kmemleak
failed=0

fail() {
	echo "failed: $*" >&2
	failed=1
}

turn() { # CPU 0|1
	echo "$2" > "$cpus/cpu$1/online" || echo "cpu$1 did not become $2" >> turns.failed
}

hotplug() {
	turns=0
	while [ -e running ]; do
		for cpu in 1 2 3; do turn $cpu 0; done
		for cpu in 3 1 2; do turn $cpu 1; done
		turns=$((turns + 1))
		echo $turns > turns
	done
}

# A selftest pins itself to CPUs and may find one gone, so of these loops only the
# kernel is judged; that the tests pass is what the other trials show.
# shellcheck disable=SC2016 # the inner shell expands
selftests() {
	timeout -s KILL "$seconds" sh -c 'tests=0
		while :; do
			for program in ./mte/check_*; do
				"$program" > /dev/null 2>&1
				tests=$((tests + 1))
				echo $tests > tests
			done
		done'
}

stress() {
	GLIBC_TUNABLES=glibc.mem.tagging=3 stress-ng --temp-path /tmp --oom-avoid \
		--timeout "$seconds" --vm 2 --vm-bytes 40% --vm-method all --malloc 2 \
		--malloc-bytes 64M --fork 1 --switch 2 --futex 1
}

suspected() {
	[ -e "$kmemleak" ] || return 0
	echo scan > "$kmemleak"
	sleep 6
	echo scan > "$kmemleak"
	cat "$kmemleak"
}

mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug 2> /dev/null
: > running
hotplug &
hotplug_process=$!
selftests &
selftests_process=$!
stress || fail "stress-ng exited with $?"
rm running
wait $hotplug_process $selftests_process

[ -e turns ] || fail "no CPU was taken away"
[ -e tests ] || fail "no selftest ended"
[ -e turns.failed ] && fail "$(sort turns.failed | uniq -c)"
for cpu in 1 2 3; do
	[ "$(cat $cpus/cpu$cpu/online)" = 1 ] || fail "cpu$cpu is off at the end"
done
leaks=$(suspected)
[ -z "$leaks" ] || fail "kmemleak: $leaks"
echo "$(cat turns) rounds of hotplug, $(cat tests) selftests"
exit $failed
