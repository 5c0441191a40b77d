create trigger contacts_consented_insert after insert on contacts
  for each row when (new.opted_out or coalesce(current_setting('pocketsms.consent', true), '') <> '')
  execute function contacts_consented();
