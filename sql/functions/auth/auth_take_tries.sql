-- Counts one try of each key, in their order, until one has none left. Returns after how many seconds that
-- key may be tried again, 0 if all may. A window of `seconds` begins with the first try. The last key is
-- skipped while the key `exempt` lives. Keys after an exhausted one are not charged.
create or replace function auth_take_tries(keys text[], limits int[], seconds int, exempt text) returns int
language plpgsql as $$
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
