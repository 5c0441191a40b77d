create trigger user_settings_narrowed_insert after insert on user_settings
  for each row when (new.destinations <> '') execute function sms_destinations_narrowed('account');
