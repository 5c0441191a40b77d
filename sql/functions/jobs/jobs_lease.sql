-- Leases the first due job of each of up to `room` holders (accounts) from `first` on, for `seconds`. Leaves
-- out the holders in `busy`. Jumps from holder to holder by index, so many jobs of one holder cost no more.
create or replace function jobs_lease(of_kind text, first text, room int, busy text[], seconds float8) returns table (
  id bigint, holder text, key text, payload text, runs int, attempts int, "ageMs" float8
) language plpgsql as $$
#variable_conflict use_column
begin
  return query
  with recursive holders(holder) as (
    (select j.holder from _jobs j where j.kind = of_kind and j.dead_at is null and j.holder >= first
      order by j.holder limit 1)
    union all
    select n.holder from holders h cross join lateral (
      select j.holder from _jobs j where j.kind = of_kind and j.dead_at is null and j.holder > h.holder
      order by j.holder limit 1
    ) n
  ), found as materialized (
    select n.id from holders h cross join lateral (
      select j.id from _jobs j
      where j.kind = of_kind and j.holder = h.holder and j.dead_at is null and j.due_at <= now()
      order by j.due_at, j.id limit 1 for update skip locked
    ) n
    where h.holder <> all(busy) limit room
  )
  update _jobs j set due_at = now() + seconds * interval '1 second', runs = j.runs + 1, attempts = j.attempts + 1
  where j.id in (select f.id from found f)
  returning j.id, j.holder, j.key, j.payload::text, j.runs, j.attempts,
    extract(epoch from now() - j.created)::float8 * 1000;
end $$;
