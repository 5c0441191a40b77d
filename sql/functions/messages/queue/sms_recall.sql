-- Asks devices to give back texts that they have fetched, whose queue rows the caller has locked. Each ends
-- for this reason once its device says that it was not sent; see sms_end_refused, which ends some at once.
-- Returns how many those are. `by`: who asks, a record of `senders`; '' for the server.
create or replace function sms_recall(texts text[], reason text, by text) returns int
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  number int;
begin
  update sms_dispatch d set refused = reason where d.message = any (texts) and d.state = 'sending' and d.refused = '';
  select count(*) into number from sms_end_refused(texts, false, by) e;
  return number;
end $$;
