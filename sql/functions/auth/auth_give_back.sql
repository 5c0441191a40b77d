-- Gives back the tries that auth_take_tries has counted, one for each key. Above 0, `days` means that the try
-- succeeded: then deletes the first key, and makes the key `exempt` valid for that many days.
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
