-- 0001 what every collection needs: its description, its dates, the server's own values.

-- PocketBase's dates: `2026-11-20 07:00:00.000Z`, empty when unset. Text in C order compares as PocketBase does,
-- to the letter, and serves an index; where SQL wants an instant, it casts.
create domain pb_date as text collate "C" default '' not null;

-- One row a collection: `data` is its JSON as PocketBase exports it, secrets included.
create table _collections (
  id text collate "C" primary key,
  name text collate "C" not null,
  data json not null,
  position bigint generated always as identity
);
create unique index _collections_name on _collections (lower(name));

-- Values of the server: settings, keys.
create table _params (
  key text collate "C" primary key,
  value json not null
);

-- Text that may not be a number, as SQLite casts it: null instead of an error.
create function pb_float(t text) returns double precision language plpgsql immutable strict parallel safe as $$
begin
  return t::double precision;
exception when numeric_value_out_of_range then
  return case when t ~ '^\s*-' then '-Infinity'::float8 else 'Infinity'::float8 end;
when others then
  return null;
end $$;
