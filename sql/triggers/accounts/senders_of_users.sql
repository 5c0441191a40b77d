create trigger senders_of_users after insert or update of name, email on users
  for each row execute function senders_noted('owner');
-- Adds senders of users that existed before this trigger.
insert into senders (id, "user", kind, name) select id, id, 'owner', user_label(name, email) from users on conflict do nothing;
