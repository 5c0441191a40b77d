-- Trigger of user_settings and api_keys: devices are told not to send texts that they have fetched, to
-- numbers that the new destinations exclude. Texts that no device has are refused when one claims them. The
-- argument is `key` for the texts of an API key.
create or replace function sms_destinations_narrowed() returns trigger
language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  perform from sms_end_refused(array(
    select d.message from sms_dispatch d join sms_messages m on m.id = d.message
    where d.state = 'sending' and d."user" = new."user" and (tg_argv[0] <> 'key' or m.sent_by = new.id)
      and not sms_is_destination(new.destinations, m."to")
    order by d.message for update of d
  ));
  return null;
end $$;
