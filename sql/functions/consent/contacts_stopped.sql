-- Trigger of contacts: a contact with a number that is new for the account is opted out if the person has
-- opted out before. Asks consent_stopped only if there is such an opt-out: an import adds many contacts.
create or replace function contacts_stopped() returns trigger language plpgsql as $$
begin
  perform from consent_states s
  where s."user" = new."user" and s.number = new.phone and s."group" = '' and s.purpose = 'all' and s.state = 'stopped';
  if found then
    new.opted_out := consent_stopped(new."user", array[new.phone::text]) <> '{}';
  end if;
  return new;
end $$;
