-- Judges texts by the bounds of their sender (sms_limits_of). Returns the refusal, or null if the sender may
-- do this. It is asked in the transaction that stores or changes the texts: by sms_accept for new ones, by
-- src/gateway/messages/send/sending-permission.ts for stored ones and for previews.
--
--   act      `cancel` needs no destination of the account, which may have fewer now
--   numbers  the recipients
--   device, line, sim  by what the texts must leave; null or 0 for any
--   kept     the lines that the texts may leave by; null for any. For new texts those of the key
create or replace function sms_may(
  act text, destinations text, key_destinations text, key_lines text[],
  numbers text[], device text, line text, sim int, kept text[]
) returns text language plpgsql stable as $$
declare
  account_destinations constant text := case when act = 'cancel' then '' else destinations end;
begin
  if account_destinations || key_destinations <> '' then
    perform from unnest(numbers) n(number)
    where not (sms_is_destination(account_destinations, n.number) and sms_is_destination(key_destinations, n.number));
    if found then
      return 'destination_not_allowed';
    end if;
  end if;
  if key_lines is null then
    return null;
  end if;
  if not coalesce(line = any (key_lines), kept <@ key_lines, false) then
    return 'line_not_allowed';
  end if;
  -- A device or slot is named: the key needs one line of it.
  if device is not null or sim > 0 then
    perform from lines l
    where l.id = any (sms_may.key_lines) and (sms_may.line is null or l.id = sms_may.line)
      and (sms_may.device is null or l.device = sms_may.device) and (sms_may.sim = 0 or l.slot = sms_may.sim or l.slot = 0);
    if not found then
      return 'line_not_allowed';
    end if;
  end if;
  return null;
end $$;
