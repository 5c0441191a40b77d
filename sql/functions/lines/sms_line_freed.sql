-- Trigger of sms_dispatch: gives back the room of a message that leaves the queue, or goes back to `pending`,
-- before a device had it. Fires after the statement, because it updates another row that waits for room.
create or replace function sms_line_freed() returns trigger language plpgsql as $$
begin
  perform sms_line_refund(
    old.line, old.charged, coalesce((select m."to" from sms_messages m where m.id = old.message), ''), old."user");
  return null;
end $$;
