-- Whether too few of the last 20 codes to a country were approved, by the account's `code_approval_floor`;
-- false with fewer than 20 in a day. Counts a pending code as not approved after 3 minutes, and a canceled
-- one too, unless its text was canceled in time. A code that was approved by Twilio's `Status=approved`
-- counts as not approved: a thief with the API key could approve all codes. `of_pages`: the codes of join
-- pages, or all others. Anybody can request codes by a page, and never enter them.
create or replace function codes_few_right(of_user text, to_country text, of_pages boolean) returns boolean
language sql stable as $$
  select count(*) = 20 and count(*) filter (where l.is_right) * 100 < max(l.code_approval_floor) * 20
  from (
    select v.status = 'approved' and v.attempts > 0 as is_right, s.code_approval_floor
    from user_settings s join verifications v on v."user" = s."user"
    where s."user" = of_user and v.country = to_country
      and of_pages = exists (select from verify_services p where p.id = v.service and p.name = 'join page')
      and v.created > greatest(pb_text(now() - interval '1 day'), s.code_counted_from)
      and (v.status <> 'pending' or v.created < pb_text(now() - interval '3 minutes'))
      and not (v.status = 'canceled' and exists (
        select from sms_messages m where m.id = v.message and m.status = 'failed'))
    order by v.created desc limit 20
  ) l
$$;
