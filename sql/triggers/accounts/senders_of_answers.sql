create trigger senders_of_answers after insert or update of name on auto_answers
  for each row execute function senders_noted('answer');
-- Adds senders of answers that existed before this trigger.
insert into senders (id, "user", kind, name) select id, "user", 'answer', name from auto_answers on conflict do nothing;
