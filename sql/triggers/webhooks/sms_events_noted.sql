create trigger sms_events_noted after insert on sms_events referencing new table as added
  for each statement execute function sms_events_noted();
