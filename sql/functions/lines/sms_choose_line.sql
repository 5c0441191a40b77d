-- Chooses the line of one text for sms_assign, which describes the order of preference. Changes nothing.
--
-- Parameters
--   lines, is_new   as in sms_read_lines and sms_assign
--   asked           the text: an element of `texts` of sms_assign
--   settings        the account's line_choice, failover_minutes and failover_priority
--   sticky_line     the line that exchanged the last text with the recipient; null for none
--   at              now
--   has_waiting     whether texts already wait for room: a new text must not overtake them
--   phones_down_at  when the phones count as down, so that carriers kept for failures may send
-- Results
--   best            place of the line in `lines`; 0 for none
--   best_score      how well it fits; 100 for the line of the last text
--   equals          how many lines fit as well
--   room_at         if there is none, when a line may have room; null if no line may ever send the text
--   stopped         places of the lines into whose budgets the text does not fit
create or replace function sms_choose_line(
  lines anyarray, asked record, settings record, sticky_line text, at timestamptz, is_new boolean,
  has_waiting boolean, phones_down_at timestamptz,
  out best int, out best_score int, out equals int, out room_at timestamptz, out stopped int[]
) language plpgsql as $$
declare
  line sms_line_state;
  place int := 0;
  price numeric;
  best_price numeric;
  best_turn bigint;
  until timestamptz;
  score int;
begin
  best := 0;
  best_score := -2000;
  equals := 0;
  foreach line in array coalesce(lines, '{}') loop
    place := place + 1;
    continue when asked.device is not null and line.device <> asked.device
      or asked.line is not null and line.id <> asked.line
      or line.id <> all (asked.lines)
      or asked.sim > 0 and line.slot <> asked.sim and line.slot <> 0
      or asked.avoid = line.device
      or asked.segments = 0 and not line.can_mms
      or line.rank is null and asked.device is null
      or line.rank = 1 and asked.line is null and coalesce(asked.sim, 0) = 0 and (asked.device is null or exists (
        select from lines o where o.device = asked.device and o.enabled and o.present and o.number ~ '^\+?[0-9]*$'
      ))
      or not line.is_available and (is_new or asked.device is null);
    -- Texts that name a slot never go to carriers by failover. Others wait until the phones count as down.
    if line.is_carrier and settings.failover_minutes > 0 and coalesce(asked.device, asked.line) is null then
      continue when asked.sim > 0;
      if line.rank = 2 and not coalesce(asked.priority >= nullif(settings.failover_priority, 0), false) then
        room_at := least(room_at, phones_down_at);
        continue;
      end if;
    end if;
    price := null;
    if line.prices is not null then
      price := sms_price(line.prices, asked."to", asked.segments);
      continue when price is null;
    end if;
    until := line.full_until;
    if line.is_limited then
      if line.month_room < 1 then
        until := greatest(until, line.next_month);
      elsif line.day_room < 1 then
        until := greatest(until, line.next_day);
      elsif has_waiting then
        until := greatest(until, at);
      end if;
      if line.has_recipient_limit and line.recipient_room < 1 and not exists (
        select from line_recipients r
        where r.line = line.id and r.month = left(line.day, 7) and r.number = asked."to"
      ) then
        until := greatest(until, line.next_month);
      end if;
    end if;
    if line.spent + line.cost_more + price > line.budget then
      until := greatest(until, line.next_month);
      stopped := stopped || place;
    end if;
    if until is not null then
      room_at := least(room_at, until);
      continue;
    end if;
    score := case
      when line.id = sticky_line then 100
      when line.prefixes = '' then 0
      else coalesce((
        select max(length(p)) from unnest(string_to_array(line.prefixes, ',')) p
        where starts_with(asked."to", p)
      ), -1)
    end - case when line.is_failing then 1000 else 0 end - case
      when line.rank = 2 then 500
      -- a text that a phone did not take goes to a carrier rather than to another silent phone
      when line.is_stale and asked.avoid is not null and settings.failover_minutes > 0 and not line.is_carrier then 600
      else 0 end;
    price := case when settings.line_choice = 'cheapest' then coalesce(price, 0) else 0 end;
    if score > best_score or score = best_score and price < best_price then
      best := place;
      best_score := score;
      best_price := price;
      best_turn := line.turn;
      equals := 1;
    elsif score = best_score and price = best_price then
      equals := equals + 1;
      if line.turn < best_turn then
        best := place;
        best_turn := line.turn;
      end if;
    end if;
  end loop;
end $$;
