#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# gcc's compiler proper compiles the dumper itself, preprocessed on the host.
exec "$@" /usr/lib/gcc/aarch64-linux-gnu/*/cc1 -quiet -fpreprocessed -std=gnu11 -O2 -g \
	dump-tags.i -o out.s
