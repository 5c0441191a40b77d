create trigger senders_of_answers after insert or update of name on auto_answers
  for each row execute function senders_noted('answer');
-- Those that were made before this trigger.
insert into senders (id, "user", kind, name) select id, "user", 'answer', name from auto_answers on conflict do nothing;
