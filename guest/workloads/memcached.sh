#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# memcached under a load of one set to ten gets over loopback, for a fixed number
# of operations:
#
#	sh memcached.sh OPERATIONS
#
# MEMCACHED_TUNABLES become the server's GLIBC_TUNABLES; the client has none.
set -eu

operations=$1
server=127.0.0.1:11211

GLIBC_TUNABLES=${MEMCACHED_TUNABLES:-} memcached -u root -l 127.0.0.1 -t 1 -m 64 &
until memcstat --servers=$server > /dev/null 2>&1; do
	sleep 0.1
done

# Lengths of keys and of values, then the shares of sets (0) and gets (1).
printf 'key\n16 64 1\nvalue\n64 1024 1\ncmd\n0 0.090909\n1 0.909091\n' > load
memcaslap --servers=$server --threads=1 --concurrency=16 --execute_number="$operations" \
	--cfg_cmd=load
kill $!
wait || true
