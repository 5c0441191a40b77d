-- Tells a device's streams on all nodes, once the transaction commits, not to send this attempt any more
-- (src/gateway/lines/wake-devices.ts).
create or replace function sms_announce_canceled(device text, message text, attempt int) returns void language sql as $$
  select _announce('pocketsms_canceled', device || ' ' || message || ' ' || attempt)
$$;
