-- Trigger of lines. Marks the messages that must leave a line (charged = '-'), except those that a device has
-- fetched: when the line is disabled, its SIM is removed, its prices or budget change, or it begins to fail
-- while another line can send; only MMS, when it stops to send these.
-- Messages whose request named a failing line stay. Also counts past messages of a line that gets its first
-- limit, lets the sweep retry messages that wait for room, and deletes the counters of a deleted line.
--
-- Takes locks in the order of the sweeper and of sms_accept: waiting rows of the queue, assigned rows, the
-- user's turn, counters.
create or replace function sms_line_room() returns trigger language plpgsql as $$
declare
  text record;
  is_failing boolean;
  -- whether prices or budget have changed
  is_priced boolean;
  -- whether only MMS must leave
  is_of_mms boolean;
begin
  if tg_op = 'DELETE' then
    delete from line_use u where u.line = old.id;
    delete from line_recipients r where r.line = old.id;
    return null;
  end if;
  is_priced := tg_op = 'UPDATE' and (old.prices::text, old.monthly_budget) is distinct from (new.prices::text, new.monthly_budget);
  if is_priced then
    update line_costs c set stopped_at = null where c.line = new.id and c.stopped_at is not null;
  end if;
  if tg_op = 'INSERT' or is_priced or (old.enabled, old.present, old.prefixes, old.per_minute, old.daily_limit, old.monthly_limit,
      old.monthly_recipients, old.mms) is distinct from (new.enabled, new.present, new.prefixes, new.per_minute, new.daily_limit,
      new.monthly_limit, new.monthly_recipients, new.mms)
  then
    perform sms_look_for_room(new."user");
  end if;
  if tg_op = 'UPDATE' then
    if old.daily_limit + old.monthly_limit + old.monthly_recipients = 0
        and new.daily_limit + new.monthly_limit + new.monthly_recipients > 0
      or old.monthly_recipients = 0 and new.monthly_recipients > 0
    then
      perform sms_line_count(new.id, new."user");
    end if;
  end if;
  if tg_op <> 'UPDATE' or not (old.enabled and old.present) then
    return null;
  end if;
  is_failing := new.failing_since > old.failing_since and exists (
    select from lines l join devices d on d.id = l.device
    where l."user" = new."user" and l.id <> new.id and l.enabled and l.present and not sms_is_failing(l.failing_since)
      and d.enabled and (d.last_seen > pb_text(now() - interval '10 minutes') or pb_is_set(d.push))
  );
  is_of_mms := not (is_failing or is_priced) and new.enabled and new.present;
  if not is_of_mms or old.mms = 'on' and new.mms <> 'on' then
    perform from sms_dispatch d
    where d."user" = new."user" and d.device = new.device and d.line = new.id and d.state = 'assigned'
      and d.charged <> '-' and not (is_failing and d.line_pinned)
      and (not is_of_mms or exists (select from sms_messages m where m.id = d.message and m.segments = 0))
    order by d.message for update of d;
    perform from sms_turns t where t."user" = new."user" for update;
    -- Reads again: before the lock was granted, another transaction may have added messages.
    for text in
      select d.message, d.charged, d.cost, (select m."to" from sms_messages m where m.id = d.message) as recipient
      from sms_dispatch d
      where d."user" = new."user" and d.device = new.device and d.line = new.id and d.state = 'assigned'
        and d.charged <> '-' and not (is_failing and d.line_pinned)
        and (not is_of_mms or exists (select from sms_messages m where m.id = d.message and m.segments = 0))
      order by d.message
    loop
      perform sms_line_refund(new.id, text.charged, coalesce(text.recipient, ''), text.cost, new."user");
      update sms_dispatch d set charged = '-', cost = null where d.message = text.message;
    end loop;
  end if;
  return null;
end $$;
