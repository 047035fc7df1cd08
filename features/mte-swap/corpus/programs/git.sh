#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# git tells the history, file by file, of a repository of 300 commits.
export HOME=/root
git init -q history
awk 'BEGIN {
	for (i = 1; i <= 300; i++) {
		printf "commit refs/heads/main\ncommitter A <a@example.org> %d +0000\n", 1e9 + i
		message = "change " i "\n"
		printf "data %d\n%s\n", length(message), message
		for (j = 0; j < 20; j++) {
			text = ""
			for (k = 0; k < 30; k++)
				text = text "line " k " of file " j " as of " int((i + k) / 7) "\n"
			printf "M 644 inline dir%d/file%d\ndata %d\n%s\n", (i * 7 + j) % 40, j,
				length(text), text
		}
	}
}' | git -C history fast-import --quiet
exec "$@" git -C history log --stat --topo-order --find-renames --graph -p main
