#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# jq reads a list of objects, groups them and writes them sorted.
awk 'BEGIN {
	for (i = 0; i < 6000; i++)
		printf "{\"id\": %d, \"name\": \"user %d\", \"tags\": [\"t%d\", \"t%d\"], " \
			"\"at\": {\"x\": %d.5, \"y\": %d}}\n", i, i * 7919 % 6000, i % 17, i % 23,
			i * 31 % 1000, i * 17 % 777
}' > objects.json
exec "$@" jq -s 'group_by(.at.x) | map({x: .[0].at.x, names: map(.name) | sort, all: .})' \
	objects.json
