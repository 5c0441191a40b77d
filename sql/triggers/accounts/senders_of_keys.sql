create trigger senders_of_keys after insert or update of name on api_keys
  for each row execute function senders_noted('key');
-- Adds senders of keys that existed before this trigger.
insert into senders (id, "user", kind, name) select id, "user", 'key', name from api_keys on conflict do nothing;
