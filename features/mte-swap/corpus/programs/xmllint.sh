#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# xmllint reads a document, looks something up in it and writes it indented.
awk 'BEGIN {
	print "<library>"
	for (i = 0; i < 4000; i++)
		printf "<book id=\"b%d\" year=\"%d\"><title>Title number %d</title>" \
			"<author><first>F%d</first><last>L%d</last></author><!-- %d --></book>\n",
			i, 1900 + i % 120, i, i % 311, i % 1013, i
	print "</library>"
}' > library.xml
exec "$@" xmllint --format --xpath "//book[@year='1950']/author/last" library.xml
