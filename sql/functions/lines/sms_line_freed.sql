-- Trigger of sms_dispatch, the queue. When a message leaves the queue before a device has fetched it, or goes
-- back to `pending`, gives back the room on its line. Fires AFTER: it also updates another queued message.
create or replace function sms_line_freed() returns trigger language plpgsql as $$
begin
  perform sms_line_refund(
    old.line, old.charged, coalesce((select m."to" from sms_messages m where m.id = old.message), ''), old.cost, old."user");
  return null;
end $$;
