#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perl counts words and their successors in its own library.
exec "$@" perl -e '
my (%count, %after);
for my $file (glob "/usr/share/perl/5.*/*.pm /usr/share/perl/5.*/File/*.pm") {
	open my $text, "<", $file or next;
	my $last = "";
	while (<$text>) {
		for my $word (/\w+/g) {
			$count{$word}++;
			push @{$after{$last}{$word}}, $. if $last;
			$last = $word;
		}
	}
	last if keys %count > 6000;
}
my @most = sort { $count{$b} <=> $count{$a} } keys %count;
print "@most[0..20]\n";
'
