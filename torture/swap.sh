#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# swap.sh SECONDS SKIPPED [WAY...]: swaps tagged memory in every way there is, or these, of
# which SKIPPED are not in this kernel, then for SECONDS in several at once. Exits with 0 if
# every tag and every byte came back.
set -u

seconds=$1
skipped=$2
shift 2
failed=0

try() { # NAME COMMAND...
	name=$1
	shift
	"$@" > output 2>&1
	status=$?
	cat output
	[ $status = 0 ] && return
	echo "failed: $name exited with $status: $(grep -v '^ok' output | tail -5)" >&2
	failed=1
}

# Only kernels with the feature have this one.
[ ! -e mte/check_swap_tags ] || try check_swap_tags ./mte/check_swap_tags

try swap-paths ./swap-paths "$@"
found=$(grep -c '# SKIP' output)
if [ "$found" != "$skipped" ]; then
	echo "failed: $found ways were skipped, not $skipped: $(grep -B1 '# SKIP' output)" >&2
	failed=1
fi

try swap-race ./swap-race "$seconds"
exit $failed
