-- Which text of each migration was applied: two schemas never share a version. Adds a column to a table of a
-- few rows, whose lock readers do not notice.

-- SHA-256 of the migration's file. The start fills it in.
alter table _migrations add sha256 text collate "C";
