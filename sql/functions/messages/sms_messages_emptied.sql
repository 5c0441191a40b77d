-- Trigger of sms_messages: after a truncate, deletes all brief rows and sets all totals to 0.
create or replace function sms_messages_emptied() returns trigger language plpgsql as $$
begin
  truncate sms_messages_brief;
  delete from sms_totals where relation = tg_relid and "user" <> '';
  update sms_totals set messages = 0 where relation = tg_relid;
  update sms_turns set messages = 0 where messages <> 0;
  return null;
end $$;
