-- 0009 tries are counted in one statement, what superusers do is written down, old texts are found at once.

-- Counts one try of each key, in their order, up to the first that has no more: answers after how many seconds it may
-- be tried again, 0 if all may. A window of `seconds` begins with the first try. `exempt`: while this key lives, the last
-- key is not asked. Whoever is refused by one key has not used up those behind it.
create function auth_take_tries(keys text[], limits int[], seconds int, exempt text) returns int language plpgsql as $$
declare
  now_used int;
  until timestamptz;
begin
  for i in 1 .. cardinality(keys) loop
    exit when i = cardinality(keys) and exists (select from auth_tries t where t.key = exempt and t.ends > now());
    insert into auth_tries as t (key, tries, ends) values (keys[i], 1, now() + make_interval(secs => seconds))
    on conflict (key) do update set
      tries = case when t.ends <= now() then 1 else least(t.tries, limits[i]) + 1 end,
      ends = case when t.ends <= now() then excluded.ends else t.ends end
    returning t.tries, t.ends into now_used, until;
    if now_used > limits[i] then
      return greatest(1, ceil(extract(epoch from until - now())))::int;
    end if;
  end loop;
  return 0;
end $$;

-- Takes a try of each key back, of the last one unless it was not asked. `days`, if not 0: the try was right, then the first
-- key is forgotten and `exempt` lives for so long from now.
create function auth_give_back(keys text[], exempt text, days int) returns void language plpgsql as $$
declare
  is_exempt boolean := exists (select from auth_tries t where t.key = exempt and t.ends > now());
begin
  if days > 0 then
    delete from auth_tries t where t.key = keys[1];
  end if;
  for i in 1 .. cardinality(keys) loop
    exit when i = cardinality(keys) and is_exempt;
    update auth_tries t set tries = t.tries - 1 where t.key = keys[i] and t.tries > 0 and t.ends > now();
  end loop;
  if days > 0 then
    insert into auth_tries values (exempt, 1, now() + make_interval(days => days))
    on conflict (key) do update set ends = excluded.ends;
  end if;
end $$;

-- What superusers did, a row each, in the transaction of what was done. Never what was written: only names of fields.
-- Its columns are those of a collection, so that it is listed and filtered like one.
create table _audit (
  _rowid bigint generated always as identity,
  id text collate "C" primary key default pb_new_id(),
  created pb_date not null default pb_text(clock_timestamp()),
  -- id and email as they were; both '' for who failed to sign in
  superuser text collate "C" not null default '',
  email text collate "C" not null default '',
  ip text collate "C" not null default '',
  action text collate "C" not null,
  -- name of the collection, id of the record; '' where there is none
  collection text collate "C" not null default '',
  record text collate "C" not null default '',
  fields json not null default '[]'
);
create unique index _audit_rowid on _audit (_rowid);
create index _audit_created on _audit (created);
