-- Trigger of sms_dispatch: gives back the room on a line of a message that leaves the queue before a device
-- claimed it, or goes back to `pending`. Fires AFTER, because it updates another queued message.
create or replace function sms_line_freed() returns trigger language plpgsql as $$
begin
  perform sms_line_refund(
    old.line, old.charged, coalesce((select m."to" from sms_messages m where m.id = old.message), ''), old."user");
  return null;
end $$;
