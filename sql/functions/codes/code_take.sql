-- Counts amounts[i] codes for each key (a number's hour, a network, an account) and returns 0 for both
-- values. If a key has no room, counts nothing and returns its place and the seconds until it has room
-- again. A key counts for seconds[i] after its first code. Each key stays locked until the transaction ends,
-- so pass the keys of several numbers in order. Uses clock_timestamp(), because now() is the time before the
-- wait for a lock.
create or replace function code_take(
  keys text[], amounts int[], limits int[], seconds int[], out place int, out wait int
) language plpgsql as $$
begin
  for i in 1 .. cardinality(keys) loop
    insert into auth_tries as t (key, tries, ends)
    select keys[i], amounts[i], clock_timestamp() + make_interval(secs => seconds[i]) where amounts[i] <= limits[i]
    on conflict (key) do update set
      tries = excluded.tries + case when t.ends <= clock_timestamp() then 0 else t.tries end,
      ends = case when t.ends <= clock_timestamp() then excluded.ends else t.ends end
    where t.ends <= clock_timestamp() or t.tries + excluded.tries <= limits[i];
    if not found then
      update auth_tries t set tries = t.tries - amounts[n] from generate_series(1, i - 1) n where t.key = keys[n];
      place := i;
      wait := coalesce(
        (select greatest(1, ceil(extract(epoch from t.ends - clock_timestamp())))::int
          from auth_tries t where t.key = keys[i]), seconds[i]);
      return;
    end if;
  end loop;
  place := 0;
  wait := 0;
end $$;
