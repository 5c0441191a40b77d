-- Trigger of sms_messages: counts deleted messages.
create or replace function sms_messages_went() returns trigger language plpgsql as $$
begin
  perform sms_count(tg_relid, w."user", -w.n) from (select "user", count(*) as n from went group by 1 order by 1) w;
  return null;
end $$;
