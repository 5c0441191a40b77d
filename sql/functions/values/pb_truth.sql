-- A value as a condition: any number but 0 is true.
create or replace function pb_truth(b boolean) returns boolean
language sql immutable parallel safe as 'select b';

create or replace function pb_truth(x double precision) returns boolean
language sql immutable parallel safe as 'select x <> 0';

create or replace function pb_truth(t text) returns boolean
language sql immutable parallel safe as 'select pb_real(t) <> 0';
