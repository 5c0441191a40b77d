-- Accepts send requests of several users: checks each request, and for those that pass stores the messages,
-- charges the quota, chooses lines and queues the messages. A request is accepted as a whole or not at all.
-- The caller is src/gateway/messages/send/store-offers.ts.
--
-- Parameters
--   moment         now, as a pb_date: `created` of the messages; its month is the quota period
--   since          a pb_date: devices that were last seen at or after it count as online
--   default_quota  messages per month for users without a quota of their own; 0 is no limit
--   sticky         a pb_date: prefer a line that exchanged a text with the recipient since then; '' if none
--   owners         ids of the users, sorted: locks of users' rows cannot deadlock
--   recipients     for each user, an array: the recipients of all messages of all requests
--   requests       for each user, an array of sms_request
-- Results
--   outcomes       one element per request, user by user: see sms_judge
--   known          one element per request: id of the existing message if the outcome is known; for an
--                  accepted request of SMSGate's or Twilio's API JSON of its messages for the answer; else ''
--   wake           devices with new messages; null if there are none
--
-- The call locks the users' rows of sms_turns first. Each later statement sees everything that was committed
-- before the locks were granted, so quota, turns, references and idempotency keys are exact on any number of
-- servers. Then one statement reads what the requests of each user need (`account`), sms_judge decides on
-- them, and sms_store stores the messages of all users. The whole call is one round trip and one commit.
--
-- Most users need only lines that take turns, which this function does itself; else sms_store asks
-- sms_assign. Without force_generic_plan, each call would plan the statements that read an array again.
create or replace function sms_accept(
  moment text, since text, default_quota float8, sticky text, owners text[], recipients text[], requests text[],
  out outcomes text[], out known text[], out wake text[]
) language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  month constant text := left(moment, 7);
  account record;
  judged record;
  -- the place of a request in `outcomes`; the places of requests whose answers tell of their messages, and
  -- the ids of these as arrays
  spot int;
  told int[] := '{}';
  told_ids text[] := '{}';
  request sms_request;
  message sms_request_message;
  -- the scope of a request that its origin keeps, and how many of its messages were collected
  kept jsonb;
  n int;
  status text;
  fault text;
  place int;
  -- of the user: how many messages were stored before, and how many turns the messages used
  before int;
  dealt int;
  -- the messages of all users, and what they cost whom
  drafts sms_new_message[] := '{}';
  payers text[];
  spent float8[];
  quotas float8[];
  -- the usage records of this month, and what happened to them
  usages text[];
  actions text[];
  -- the users whose lines sms_assign must choose
  special text[] := '{}';
  has_quiet boolean := false;
  has_answer boolean := false;
  has_origin boolean := false;
  has_fault boolean := false;
begin
  -- Lock the users' rows, and reserve a turn for each message: turns decide which line a message gets.
  insert into sms_turns as t ("user", turn, messages)
  select g.owner, cardinality(g.recipients::text[]), cardinality(g.recipients::text[])
  from unnest(owners, recipients) g(owner, recipients)
  on conflict ("user") do update set turn = t.turn + excluded.turn, messages = t.messages + excluded.messages;

  -- Read what all requests of a user need.
  --   turns          the user's turn, before it was reserved; null if the user was deleted
  --   monthly_quota, used
  --                  quota, how much of it is used this month
  --   lines, devices, numbers
  --                  the available lines that take turns and whose devices are below their own limits
  --   is_special     sms_assign must choose the lines
  --   talks, talk_lines
  --                  recipients with whom there is a conversation, and the line of each conversation
  --   refusals       why messages to recipients fail and cost nothing; null if all recipients get texts
  for account in
    select g.owner, g.requests, g.taken, u.turns, u.monthly_quota, u.used,
      coalesce(a.lines, '{}') as lines, a.devices, a.numbers, a.lines is null or not a.are_plain as is_special,
      coalesce(c.numbers, '{}') as talks, c.lines as talk_lines, sms_refusals(g.owner, g.recipients, null, null) as refusals
    from (
      -- `offset`, `limit`: Postgres shall read the arrays once, and look up each user and number instead of
      -- reading all
      select o.owner, o.recipients::text[] as recipients, o.requests::sms_request[] as requests,
        cardinality(o.recipients::text[]) as taken, o.place
      from unnest(owners, recipients, requests) with ordinality o(owner, recipients, requests, place) offset 0
    ) g
    left join lateral (
      select t.turn - g.taken as turns, coalesce(s.used, 0) as used,
        case when u.monthly_quota > 0 then u.monthly_quota else default_quota end as monthly_quota
      from users u join sms_turns t on t."user" = u.id left join sms_usage s on s."user" = u.id and s.period = month
      where u.id = g.owner limit 1
    ) u on true
    cross join lateral (
      select array_agg(l.line) filter (where l.is_free) as lines,
        array_agg(l.device) filter (where l.is_free) as devices,
        array_agg(l.number) filter (where l.is_free) as numbers,
        bool_and(l.is_plain) as are_plain
      from (select * from sms_ranked_lines(g.owner, since) v where v.rank = 0 order by v.device collate "C", v.slot) l
    ) a
    cross join lateral (
      select array_agg(o.number) filter (where o.number is not null) as numbers,
        array_agg(case when sticky <> '' and o.last_at >= sticky then o.line end) filter (where o.number is not null) as lines
      from unnest(g.recipients) n(number)
      left join lateral (select * from conversations t where t."user" = g.owner and t.number = n.number limit 1) o on true
    ) c
    order by g.place
  loop
    if account.turns is null then
      -- The user was deleted, so all requests are stale. Remove the row that was just inserted. Its count
      -- must be 0 first, because a trigger adds the count of a deleted row to sms_totals.
      update sms_turns t set messages = 0 where t."user" = account.owner;
      delete from sms_turns t where t."user" = account.owner;
      outcomes := outcomes || array_fill('stale'::text, array[cardinality(account.requests)]);
      known := known || array_fill(''::text, array[cardinality(account.requests)]);
      continue;
    end if;
    judged := sms_judge(account.owner, since, account, account.requests);
    spot := coalesce(cardinality(outcomes), 0);
    outcomes := outcomes || judged.outcomes;
    known := known || judged.known;

    before := cardinality(drafts);
    dealt := 0;
    foreach request in array coalesce(judged.accepted, '{}') loop
      spot := spot + 1;
      while outcomes[spot] <> 'accepted' loop
        spot := spot + 1;
      end loop;
      if request.origin ->> 'api' in ('smsgate', 'twilio') then
        told := told || spot;
        told_ids := told_ids || array(select m.id from unnest(request.messages) m)::text;
      end if;
      -- Store the request's references and the answer to its idempotency key.
      if request.idempotency_key is not null then
        insert into sms_idempotency ("user", key, fingerprint, answer)
        values (account.owner, request.idempotency_key, request.fingerprint, request.answer)
        on conflict ("user", key) do update
        set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created;
      end if;
      kept := nullif(request.scope::jsonb - 'isHelp', '{"template": "", "groups": [], "isRequired": false}');
      if request.origin is not null or kept is not null then
        has_origin := true;
        -- the messages of a campaign are stored by several requests of one batch
        insert into sms_origins (ref, "user", is_batch, created, api, id, data)
        select r.ref, account.owner, request.batch is not null, moment, coalesce(o.api, 'consent'), coalesce(o.id, r.ref),
          case when kept is null then o.data else (coalesce(o.data, '{}')::jsonb || jsonb_build_object('consent', kept))::json end
        from (select coalesce(request.batch, request.messages[1].id)) r(ref)
        left join json_to_record(request.origin) o(api text, id text, data json) on true
        where r.ref is not null
        on conflict do nothing;
      end if;

      -- Collect the messages. A text uses the line that exchanged the last text with its recipient. If there
      -- is none, lines take turns.
      n := 0;
      foreach message in array request.messages loop
        n := n + 1;
        fault := coalesce(request.refusals[n], '');
        status := case when fault <> '' then 'failed' when request.later or request.undo_seconds > 0 then 'pending' else 'assigned' end;
        place := null;
        if status = 'assigned' and not judged.is_special then
          place := array_position(account.lines, account.talk_lines[array_position(account.talks, message."to")]);
          if place is null then
            place := 1 + (account.turns + dealt) % cardinality(account.lines);
            dealt := dealt + 1;
          end if;
          wake := case when account.devices[place] = any (wake) then wake else wake || account.devices[place] end;
        end if;
        drafts := drafts || row(
          account.owner, message.id, status, message."to", coalesce(account.numbers[place], ''), coalesce(message.body, request.body),
          message.segments, coalesce(request.device, account.devices[place], ''), coalesce(request.line, account.lines[place], ''),
          request.device is not null, request.line is not null, '',
          case when status = 'pending' and request.undo_seconds > 0 then 'undo' else '' end, message.zone,
          coalesce(request.scheduled_at::timestamptz, moment::timestamptz + nullif(request.undo_seconds, 0) * interval '1 second'),
          request.batch,
          request.priority, request.sim, request.scheduled_at, request.expires_at, request.guarantee, request.ref,
          not request.bulk and cardinality(request.messages) = 1 and message."to" = any (account.talks), request.sealed,
          request.lines, coalesce(request.sent_by, ''), fault, null, request.scope,
          coalesce(request.subject, ''), coalesce(request.attachments, '{}')
        )::sms_new_message;
        has_quiet := has_quiet or message.zone is not null;
        has_fault := has_fault or fault <> '';
      end loop;
    end loop;

    n := cardinality(drafts) - before;
    -- Give back the turns that were not used.
    if dealt < account.taken or n < account.taken then
      update sms_turns t set turn = account.turns + dealt, messages = t.messages - account.taken + n where t."user" = account.owner;
    end if;
    if n > 0 then
      payers := payers || account.owner;
      spent := spent || judged.spent;
      quotas := quotas || account.monthly_quota;
      special := case when judged.is_special then special || account.owner else special end;
      has_answer := has_answer or account.talks <> '{}';
    end if;
  end loop;
  if payers is null then
    return;
  end if;

  -- Charge the quotas.
  with charged as (
    insert into sms_usage as s (id, "user", period, used, quota, created, updated)
    select pb_new_id(), p.owner, month, p.spent, p.quota, moment, moment
    from unnest(payers, spent, quotas) p(owner, spent, quota)
    on conflict ("user", period) do update
    set used = s.used + excluded.used, quota = excluded.quota, updated = excluded.updated
    returning s.id, case when s.xmax = 0 then 'create' else 'update' end as action
  )
  select array_agg(c.id), array_agg(c.action) into usages, actions from charged c;
  wake := wake || sms_store(moment, since, sticky, drafts, special, has_quiet, has_answer, has_origin, has_fault);

  for n in 1 .. cardinality(told) loop
    known[told[n]] := (
      select json_agg(json_build_object(
        'status', m.status, 'device', m.device, 'fault', m.error_message, 'created', m.created,
        -- as src/gateway/messages/texts-with-numbers.ts
        'number', coalesce(nullif(m."from", ''), (
          select nullif(l.number, '') from sms_dispatch q join lines l on l.id = q.line where q.message = m.id and q.line_pinned
        ), d.phone, '')
      ) order by m._rowid)
      from sms_messages m left join devices d on d.id = m.device where m.id = any(told_ids[n]::text[])
    );
  end loop;

  -- Tell realtime subscribers that the usage changed.
  if exists (select from _listeners where 'sms_usage' <> all (ignored)) then
    insert into _changes (collection, action, record, image)
    select 'sms_usage', c.action, c.id, row_to_json(s.*)
    from unnest(actions, usages) c(action, id) join sms_usage s on s.id = c.id;
  end if;
end $$;
