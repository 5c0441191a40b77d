-- Chooses the line (the SIM) of each text, in the order of the texts, and charges the limits and budgets of
-- the lines. Locks the user's row of sms_turns if the caller has not, so limits, budgets and turns are exact
-- on any number of servers.
--
-- Parameters
--   owner   id of the user
--   since   a pb_date: devices that were last seen at or after it count as online
--   at      now; days and months are those of the user's time zone
--   sticky  a pb_date: prefer the line that exchanged a text with the recipient since then; '' for none
--   is_new  true for texts that are being accepted: they must not overtake texts that already wait
--   is_trial  true to choose only, for an estimate: locks and changes nothing
--   texts   JSON array of objects with these members:
--             n, to, segments    identifies the text in the results; the recipient; the size, 0 for an MMS
--             device, sim, line  the device, SIM slot and line that the request names; null for none
--             lines              the lines that the API key may send by; null for all
--             priority           its priority, for the failover to carriers
--             zone               the time zone of the quiet hours for which the text waits, unless the
--                                contact has one; '' for the user's; null if the text does not wait
--             avoid              a device that must not be chosen
--             was_line, was_day, was_cost
--                                the line, day and cost that are charged now; given back when a line is
--                                found
-- Results, one row for each text
--   n, line   the text and its line
--   cost      what the text costs by this line; null for a line without prices
--             If the line is null, none was found, and these say more:
--   room_at   when a line may have room or the quiet hours end; null if there is no line for the text
--   reason    'room' or 'quiet_hours', as in sms_messages.waiting_for
--
-- A text uses a line that its request names, else one with rank 0 (sms_rank_line). Lines must be available
-- and have room. A line with prices sends only to numbers that have a price, and within its monthly budget.
-- When a text does not fit into the budget any more, the owner gets a mail, once a month.
--
-- The order of preference is: the line that exchanged the last text with the recipient, a line with the
-- longest matching prefix, a line without prefixes, any other. Failing lines, and those of phones that hold
-- texts, come last. Of equal lines, the account's setting `line_choice` may prefer the
-- cheapest. Equal lines take turns: if all available lines are equal, the user's turn decides, as in
-- sms_accept; else the line whose last turn is the oldest.
--
-- sms_read_lines reads the lines, sms_choose_line chooses one for each text, sms_charge_lines stores what the
-- lines were given.
create or replace function sms_assign(
  owner text, since text, at timestamptz, sticky text, is_new boolean, texts json, is_trial boolean default false
) returns table (
  n int, line text, device text, number text, charged text, cost numeric, room_at timestamptz, reason text
)
language plpgsql as $$
#variable_conflict use_column
declare
  zone text;
  -- the user's turn, and how many turns the texts have taken
  turns bigint;
  taken bigint := 0;
  -- what sms_read_lines returns, and the lines as the texts change them
  account record;
  lines sms_line_state[];
  last_turn bigint;
  settings record;
  phones_down_at timestamptz;
  has_waiting boolean := false;
  -- the text whose line is being chosen
  asked record;
  sticky_line text;
  choice record;
  best int;
  chosen sms_line_state;
  is_added boolean;
begin
  if is_trial then
    turns := coalesce((select t.turn from sms_turns t where t."user" = owner), 0);
  else
    select t.turn into turns from sms_turns t where t."user" = owner for update;
  end if;
  if turns is null then
    insert into sms_turns ("user") values (owner) on conflict do nothing;
    select t.turn into turns from sms_turns t where t."user" = owner for update;
  end if;
  zone := sms_time_zone(owner);
  account := sms_read_lines(owner, since, at, zone, lines);
  lines := account.lines;
  last_turn := account.last_turn;
  select s.quiet_from, s.quiet_to, s.quiet_days, s.line_choice, s.failover_minutes, s.failover_priority into settings
  from user_settings s where s."user" = owner;
  if account.has_reserve then
    phones_down_at := least(sms_phones_down_at(owner, settings.failover_minutes), at + interval '1 minute');
  end if;
  if is_new and account.has_limits then
    -- Is a message due by the later of two clocks: the server's, from which `at` comes, and the database's?
    has_waiting := exists (
      select from sms_dispatch d
      where d."user" = owner and d.state = 'pending' and d.waiting_for <> '' and d.due_at <= greatest(at, clock_timestamp())
    );
  end if;

  for asked in
    select * from json_to_recordset(texts) t(
      n int, "to" text, segments numeric, priority int, device text, sim int, line text, lines text[], zone text, avoid text,
      was_line text, was_day text, was_cost numeric
    )
  loop
    n := asked.n;
    line := null;
    device := null;
    number := null;
    charged := '';
    cost := null;
    if asked.zone is not null and settings.quiet_from <> '' then
      room_at := sms_quiet_until(settings.quiet_from, settings.quiet_to, settings.quiet_days, coalesce((
        select nullif(pb_known_zone(c.time_zone), '') from contacts c where c."user" = owner and c.phone = asked."to"
      ), nullif(pb_known_zone(asked.zone), ''), zone), at);
      if room_at is not null then
        reason := 'quiet_hours';
        return next;
        continue;
      end if;
    end if;
    sticky_line := null;
    if sticky <> '' then
      select c.line into sticky_line from conversations c
      where c."user" = owner and c.number = asked."to" and c.last_at >= sticky;
    end if;
    choice := sms_choose_line(lines, asked, settings, sticky_line, at, is_new, has_waiting, phones_down_at);
    foreach best in array coalesce(choice.stopped, '{}') loop
      lines[best].has_stopped := true;
    end loop;
    best := choice.best;
    if best = 0 then
      room_at := choice.room_at;
      reason := case when room_at is null then '' else 'room' end;
      return next;
      continue;
    end if;

    -- Lines that fit equally take turns, unless the text goes to the line of the last text.
    if asked.line is null and choice.best_score < 100 then
      if asked.device is null and lines[best].rank = 0 and choice.equals = cardinality(account.free) then
        -- all are equal: the user's turn says which is next
        best := account.free[(1 + (turns + taken) % choice.equals)::int];
        taken := taken + 1;
      elsif choice.equals > 1 then
        last_turn := last_turn + 1;
        lines[best].turn := last_turn;
        lines[best].has_turned := true;
      end if;
    end if;
    chosen := lines[best];
    line := chosen.id;
    device := chosen.device;
    number := chosen.number;
    room_at := null;
    reason := '';
    if chosen.is_limited then
      charged := chosen.day;
      cost := sms_price(chosen.prices, asked."to", asked.segments);
      chosen.day_more := chosen.day_more + 1;
      chosen.day_room := chosen.day_room - 1;
      chosen.month_room := chosen.month_room - 1;
      chosen.cost_more := chosen.cost_more + coalesce(cost, 0);
      if chosen.has_recipient_limit and not is_trial then
        insert into line_recipients as r (line, month, number, texts)
        values (chosen.id, left(chosen.day, 7), asked."to", 1)
        on conflict on constraint line_recipients_pkey do update set texts = r.texts + 1
        returning r.xmax = 0 into is_added;
        if is_added then
          chosen.recipient_room := chosen.recipient_room - 1;
          chosen.recipients_more := chosen.recipients_more + 1;
        end if;
      end if;
      lines[best] := chosen;
    end if;
    if asked.was_day <> '' then
      perform sms_line_refund(asked.was_line, asked.was_day, asked."to", asked.was_cost, owner);
    end if;
    return next;
  end loop;

  if is_trial then
    return;
  end if;
  if taken > 0 then
    update sms_turns t set turn = t.turn + taken where t."user" = owner;
  end if;
  perform sms_charge_lines(owner, at, lines);
end $$;
