-- CAST(… AS BOOL): 1 is true, any other number is false.
create or replace function pb_bool(b boolean) returns boolean
language sql immutable parallel safe as 'select b';

create or replace function pb_bool(x double precision) returns boolean
language sql immutable parallel safe as 'select x = 1';

create or replace function pb_bool(t text) returns boolean
language sql immutable parallel safe as 'select pb_real(t) = 1';

create or replace function pb_bool(list text[]) returns boolean
language sql immutable parallel safe as 'select list is null and null';

create or replace function pb_bool(v json) returns boolean
language sql immutable parallel safe as 'select pb_real(v) = 1';
