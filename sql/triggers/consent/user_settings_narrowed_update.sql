create trigger user_settings_narrowed_update after update of destinations on user_settings
  for each row when (new.destinations <> old.destinations and new.destinations <> '')
  execute function sms_destinations_narrowed('account');
