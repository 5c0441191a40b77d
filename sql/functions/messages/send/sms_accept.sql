-- Accepts send requests of one user (`owner`): checks each request, and for those that pass stores the
-- messages, charges the quota, chooses lines and queues the messages. A request is accepted as a whole or not
-- at all. The caller is src/gateway/messages/send/accept.ts.
--
-- Parameters
--   owner          id of the user
--   moment         now, as a pb_date: `created` of the messages; its month is the quota period
--   since          a pb_date: devices that were last seen at or after it count as online
--   default_quota  messages per month for users without a quota of their own; 0 is no limit
--   sticky         a pb_date: prefer a line that exchanged a text with the recipient since then; '' if none
--   recipients     the recipients of all messages of all requests
--   requests       array of sms_request
-- Results
--   outcomes       one element per request: see sms_judge
--   known          one element per request: id of the existing message if the outcome is known, else ''
--   wake           devices with new messages; null if there are none
--
-- The call locks the user's row of sms_turns first. Each later statement sees everything that was committed
-- before the lock was granted, so quota, turns, references and idempotency keys are exact on any number of
-- servers. Then one statement reads what all requests need (`account`), sms_judge decides on the requests,
-- and sms_store stores the accepted ones. The whole call is one round trip and one commit.
--
-- Without force_generic_plan, each call would plan the statements that read an array again.
create or replace function sms_accept(
  owner text, moment text, since text, default_quota float8, sticky text, recipients text[], requests anyarray,
  out outcomes text[], out known text[], out wake text[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  month constant text := left(moment, 7);
  taken constant int := cardinality(recipients);
  turns bigint;
  account record;
  judged record;
begin
  -- Lock the user's row, and reserve a turn for each message: turns decide which line a message gets. An
  -- update costs half as much as an insert with a conflict.
  update sms_turns t set turn = t.turn + taken, messages = t.messages + taken where t."user" = owner
  returning t.turn - taken into turns;
  if not found then
    insert into sms_turns as t ("user", turn, messages) values (owner, taken, taken)
    on conflict ("user") do update set turn = t.turn + excluded.turn, messages = t.messages + excluded.messages
    returning t.turn - taken into turns;
  end if;

  -- Read what all requests need.
  --   monthly_quota, used
  --                  of the user: quota, how much of it is used this month
  --   lines, devices, numbers
  --                  the available lines that take turns and whose devices are below their own limits
  --   is_special     sms_assign must choose the lines
  --   talks, talk_lines
  --                  recipients with whom there is a conversation, and the line of each conversation
  --   refusals       why messages to recipients fail and cost nothing; null if all recipients get texts
  select
    case when u.monthly_quota > 0 then u.monthly_quota else default_quota end as monthly_quota,
    coalesce(s.used, 0) as used,
    coalesce(a.lines, '{}') as lines, a.devices, a.numbers, a.lines is null or not a.are_plain as is_special,
    c.numbers as talks, c.lines as talk_lines, sms_refusals(owner, recipients, null, null) as refusals
  into account
  from users u left join sms_usage s on s."user" = u.id and s.period = month
  cross join lateral (
    select array_agg(l.line) filter (where l.is_free) as lines,
      array_agg(l.device) filter (where l.is_free) as devices,
      array_agg(l.number) filter (where l.is_free) as numbers,
      bool_and(l.is_plain) as are_plain
    from (select * from sms_ranked_lines(owner, since) v where v.rank = 0 order by v.device collate "C", v.slot) l
  ) a
  cross join lateral (
    select array_agg(o.number) filter (where o.number is not null) as numbers,
      array_agg(case when sticky <> '' and o.last_at >= sticky then o.line end) filter (where o.number is not null) as lines
    from unnest(recipients) n(number)
    -- `limit`: Postgres shall look up each number instead of reading all of the user's
    left join lateral (select * from conversations t where t."user" = owner and t.number = n.number limit 1) o on true
  ) c
  where u.id = owner;
  if not found then
    -- The user was deleted, so all requests are stale. Remove the row that was just inserted. Its count must
    -- be 0 first, because a trigger adds the count of a deleted row to sms_totals.
    update sms_turns t set messages = 0 where t."user" = owner;
    delete from sms_turns t where t."user" = owner;
    outcomes := array_fill('stale'::text, array[cardinality(requests)]);
    known := array_fill(''::text, array[cardinality(requests)]);
    return;
  end if;

  judged := sms_judge(owner, since, account, requests);
  outcomes := judged.outcomes;
  known := judged.known;
  wake := sms_store(
    owner, moment, since, sticky, turns, taken, account, judged.accepted, judged.spent, judged.is_special
  );
end $$;
