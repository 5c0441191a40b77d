-- json_array_length() of SQLite for a list column.
create or replace function json_array_length(list text[]) returns int
language sql immutable parallel safe as 'select cardinality(list)';
