-- Gives back the room that one text used on a line: the text no longer counts for the local day `charged`
-- (YYYY-MM-DD) and the month of that day, nor does its cost (null if the line has no prices). Its
-- recipient no longer counts if the line sent them no other text in that month. Makes the next sweep try the
-- first waiting text that may use this line.
create or replace function sms_line_refund(
  of_line text, charged text, recipient text, refunded numeric, owner text
) returns void
language plpgsql as $$
declare
  of_month constant text := left(charged, 7);
  has_left boolean := false;
  of_device text;
  -- whether the line has as many recipients in this month as its limit allows
  are_all boolean;
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
  update line_costs c set texts = c.texts - 1, cost = c.cost - refunded
  where c.line = of_line and c.month = of_month and refunded is not null;
  select l.device, l.monthly_recipients > 0 and u.month = of_month and u.recipients >= l.monthly_recipients
  into of_device, are_all
  from lines l left join line_use u on u.line = l.id where l.id = of_line;
  update sms_dispatch d set due_at = now() where d.message = (
    select w.message from sms_dispatch w
    where w."user" = owner and w.state = 'pending' and w.waiting_for = 'room'
      and w.due_at > now() and w.due_at < 'infinity'
      and (not w.line_pinned or w.line = of_line) and (not w.pinned or w.device = of_device)
      and (are_all is not true or exists (
        select from sms_messages m join line_recipients r on r.number = m."to"
        where m.id = w.message and r.line = of_line and r.month = of_month
      ))
    order by w.priority desc, w.position limit 1 for update of w skip locked
  );
end $$;
