-- Trigger of sms_messages: counts inserted messages, except those of sms_accept, which counts them itself.
create or replace function sms_messages_came() returns trigger language plpgsql as $$
declare
  hour_ago text := pb_text(now() - interval '1 hour');
begin
  perform sms_count(tg_relid, c."user", c.n, c.n - c.young) from (
    select "user", count(*) as n, count(*) filter (where created >= hour_ago) as young from came group by 1 order by 1
  ) c;
  return null;
end $$;
