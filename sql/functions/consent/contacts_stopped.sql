-- Trigger of contacts: a contact with a number that is new for the account is opted out if the person has
-- opted out before (consent_stopped).
create or replace function contacts_stopped() returns trigger language plpgsql as $$
begin
  new.opted_out := consent_stopped(new."user", array[new.phone::text]) <> '{}';
  return new;
end $$;
