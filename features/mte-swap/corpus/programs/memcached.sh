#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# memcached under a load of one set to ten gets over loopback.
printf 'key\n16 64 1\nvalue\n64 1024 1\ncmd\n0 0.090909\n1 0.909091\n' > load
server=127.0.0.1:11211
exec "$@" -l "
until memcstat --servers=$server > /dev/null 2>&1; do sleep 0.1; done
memcaslap --servers=$server --threads=1 --concurrency=16 --execute_number=60000 \
	--cfg_cmd=load > /dev/null
" memcached -u root -l 127.0.0.1 -t 1 -m 64
