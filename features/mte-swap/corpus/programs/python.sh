#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Python parses modules of its own library and keeps their syntax trees.
exec "$@" -e PYTHONMALLOC=malloc python3 -c '
import ast, pathlib, sysconfig
library = pathlib.Path(sysconfig.get_path("stdlib"))
names = "heapq", "csv", "textwrap", "string", "calendar", "shlex", "fractions", "queue"
trees = [ast.parse((library / f"{name}.py").read_text()) for name in names]
print(sum(1 for tree in trees for _ in ast.walk(tree)))
'
