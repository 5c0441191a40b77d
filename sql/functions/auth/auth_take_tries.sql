-- Counts one try for each key (such as a network or an account), in order. Stops at the first key that has no
-- try left and returns the seconds until it has one. Returns 0 if all had one. The last key is not counted
-- while the key `exempt` is valid. Tries are counted for `seconds` after the first one.
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
