-- Trigger of sms_dispatch: a message that goes back to `pending` (a paused campaign) has no line any more,
-- unless its request named the line. Its room is given back.
create or replace function sms_line_returned() returns trigger language plpgsql as $$
begin
  if old.charged <> '' then
    perform sms_line_refund(old.line, old.charged, m."to", old."user") from sms_messages m where m.id = old.message;
  end if;
  new.charged := '';
  new.line := case when new.line_pinned then new.line else '' end;
  return new;
end $$;
