-- length() of SQLite. Converts other types to text first.
create or replace function pb_length(t text) returns int
language sql immutable parallel safe as 'select length(t)';

create or replace function pb_length(v anyelement) returns int
language sql stable parallel safe as 'select length(pb_text(v))';
