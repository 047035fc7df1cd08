#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sqlite3 fills a table in memory, indexes it and changes some of its rows.
exec "$@" sqlite3 :memory: '
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, town TEXT, born INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
INSERT INTO person SELECT i, hex(i * 2654435761 % 4294967296), hex(i % 977), i * 37 % 100 FROM n;
CREATE INDEX by_name ON person(name);
CREATE INDEX by_town ON person(town, born);
UPDATE person SET name = name || town WHERE born < 20;
DELETE FROM person WHERE born > 90;
SELECT town, count(*), group_concat(name) FROM person GROUP BY town ORDER BY 2;
'
