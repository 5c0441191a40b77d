-- Gives back the room that one text used on a line: the text counts no more for the local day `charged`
-- (YYYY-MM-DD) and its month, and its recipient no more if it was the only text to them. The first text that
-- waits for room is looked at again.
create or replace function sms_line_refund(of_line text, charged text, recipient text, owner text) returns void
language plpgsql as $$
declare
  of_month constant text := left(charged, 7);
  has_left boolean := false;
begin
  delete from line_recipients r
  where r.line = of_line and r.month = of_month and r.number = recipient and r.texts <= 1;
  has_left := found;
  if not found then
    update line_recipients r set texts = r.texts - 1
    where r.line = of_line and r.month = of_month and r.number = recipient;
  end if;
  update line_use u set
    day_texts = greatest(0, u.day_texts - (u.day = charged)::int),
    month_texts = greatest(0, u.month_texts - (u.month = of_month)::int),
    recipients = greatest(0, u.recipients - (u.month = of_month and has_left)::int)
  where u.line = of_line;
  update sms_dispatch d set due_at = now() where d.message = (
    select w.message from sms_dispatch w
    where w."user" = owner and w.state = 'pending' and w.waiting_for = 'room' and w.due_at < 'infinity'
    order by w.priority desc, w.position limit 1 for update skip locked
  );
end $$;
