-- Gives back the tries that auth_take_tries has counted, one for each key. If `days` is above 0, the try has
-- succeeded: all tries of the first key are deleted, and for that many days the key `exempt` frees from the
-- limit of the last key.
create or replace function auth_give_back(keys text[], exempt text, days int) returns void
language plpgsql as $$
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
