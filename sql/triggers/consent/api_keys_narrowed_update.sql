create trigger api_keys_narrowed_update after update of destinations on api_keys
  for each row when (new.destinations <> old.destinations and new.destinations <> '')
  execute function sms_destinations_narrowed('key');
