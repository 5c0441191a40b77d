create trigger senders_of_campaigns after insert or update of name on campaigns
  for each row execute function senders_noted('campaign');
-- Adds senders of campaigns that existed before this trigger.
insert into senders (id, "user", kind, name) select id, "user", 'campaign', name from campaigns on conflict do nothing;
