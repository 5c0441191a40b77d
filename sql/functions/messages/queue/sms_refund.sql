-- Gives unsent messages back to the quota of a month (`period`) of an account (`owner`), in the transaction
-- that ends them.
create or replace function sms_refund(owner text, period text, messages bigint) returns void
language sql as $$
  with refunded as (
    update sms_usage u set used = greatest(u.used - sms_refund.messages, 0), updated = pb_text(now())
    where u."user" = owner and u.period = sms_refund.period and u.used > 0 returning u.id
  )
  insert into _changes (collection, action, record)
  select 'sms_usage', 'update', r.id from refunded r
  where exists (select from _listeners where 'sms_usage' <> all (ignored))
$$;
