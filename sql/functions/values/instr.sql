-- instr() of SQLite.
create or replace function instr(t text, part text) returns int
language sql immutable parallel safe as 'select strpos(t, part)';
