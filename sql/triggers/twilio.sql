-- Triggers of Twilio's API: on events, which queue calls, and on what a message or a number has there alone.
do $$
begin
  if to_regclass('sms_events') is not null
    and not exists (select from pg_trigger where tgrelid = to_regclass('sms_events') and tgname = 'twilio_noted')
  then
    create trigger twilio_noted after insert on sms_events referencing new table as added
      for each statement execute function twilio_events_noted();
  end if;
  if to_regclass('sms_messages') is not null
    and not exists (select from pg_trigger where tgrelid = to_regclass('sms_messages') and tgname = 'twilio_went')
  then
    create trigger twilio_went after delete on sms_messages referencing old table as went
      for each statement execute function twilio_messages_went();
  end if;
  if to_regclass('devices') is not null
    and not exists (select from pg_trigger where tgrelid = to_regclass('devices') and tgname = 'twilio_went')
  then
    create trigger twilio_went after delete on devices referencing old table as went
      for each statement execute function twilio_numbers_went();
  end if;
end $$;
