-- Trigger of sms_messages: counts inserted messages, except those of sms_accept, which counts them itself.
create or replace function sms_messages_came() returns trigger language plpgsql as $$
begin
  perform sms_count(tg_relid, c."user", c.n) from (select "user", count(*) as n from came group by 1 order by 1) c;
  return null;
end $$;
