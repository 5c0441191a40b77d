-- Leases at most `room` due deliveries, first of the users with the fewest running calls, and of each user
-- first those of such webhooks. All servers together make at most 5 calls of a webhook, 20 of a user and
-- 100 to a host at a time; calls of a lane without a webhook (`callbacks 7`) are made one by one. Steps
-- through an index from webhook to webhook, so a long queue costs no more. `place`, `turn` and `at_host`
-- number the calls of a webhook, a user and a host. `lock` is held until the commit, because the limits
-- apply to all servers.
create or replace function webhook_lease(lock int, room int) returns table (delivery text, since text)
language plpgsql as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock(lock);
  -- a statement of its own, so that it sees the leases that were taken while this one waited for the lock
  return query
  with recursive held as materialized (
    select b."user", b.webhook, webhook_host(coalesce(w.url, b.target ->> 'url')) as host
    from webhook_dispatch b left join webhooks w on w.id = b.webhook
    where b.handed_at is not null
  ), users as materialized (
    select "user", count(*) as calls from held group by "user"
  ), hooks as (
    (select d."user", d.webhook from webhook_dispatch d where d.handed_at is null order by d."user", d.webhook limit 1)
    union all
    select n."user", n.webhook from hooks h cross join lateral (
      select d."user", d.webhook from webhook_dispatch d
      where d.handed_at is null and (d."user", d.webhook) > (h."user", case
        -- chr(1114111) sorts after all ids: the search skips the remaining webhooks of a busy user
        when h."user" in (select "user" from users where calls >= 20) then chr(1114111)
        else h.webhook end)
      order by d."user", d.webhook limit 1
    ) n
  ), due as (
    select h."user", h.webhook, n.delivery, n.due_at, n.target, row_number() over (
      partition by h."user", h.webhook order by n.due_at) as number
    from hooks h cross join lateral (
      select d.delivery, d.due_at, d.target from webhook_dispatch d
      where d."user" = h."user" and d.webhook = h.webhook and d.handed_at is null and d.due_at <= now()
      order by d.due_at limit 5
    ) n
  ), placed as (
    select d.*, coalesce(c.calls, 0) + d.number as place
    from due d left join (
      select "user", webhook, count(*) as calls from held group by "user", webhook
    ) c on c."user" = d."user" and c.webhook = d.webhook
  ), by_user as (
    select d.*, coalesce(u.calls, 0) + row_number() over (partition by d."user" order by d.place, d.due_at) as turn
    from placed d left join users u on u."user" = d."user"
    where d.place <= case when d.webhook like 'callbacks%' then 1 else 5 end
  ), hosted as (
    select d.*, webhook_host(coalesce(w.url, d.target ->> 'url')) as host
    from by_user d left join webhooks w on w.id = d.webhook
    where d.turn <= 20
  ), by_host as (
    select d.*, coalesce(o.calls, 0) + row_number() over (partition by d.host order by d.turn, d.due_at) as at_host
    from hosted d left join (select host, count(*) as calls from held group by host) o on o.host = d.host
  )
  update webhook_dispatch set handed_at = clock_timestamp() -- now() is older by the wait for the lock
  where webhook_dispatch.delivery = any(array(
    select d.delivery from webhook_dispatch d
    where d.handed_at is null and d.delivery = any(array(
      select b.delivery from by_host b where b.at_host <= 100 order by b.turn, b.due_at limit room
    ))
    for update skip locked
  ))
  returning webhook_dispatch.delivery, extract(epoch from handed_at)::text;
end $$;
