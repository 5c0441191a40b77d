-- Trigger of consent_states: only the trigger of consents writes them. A row may go with its account or its
-- group, and with an erasure (see consents_kept).
create or replace function consent_states_kept() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() > 1 then
    return coalesce(new, old);
  end if;
  if tg_op = 'DELETE' and (
    current_setting('pocketsms.forget', true) = 'consents'
    or not exists (select from users u where u.id = old."user")
    or old."group" <> '' and not exists (select from contact_groups g where g.id = old."group")
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE' and new.entry = '' and not exists (select from consents e where e.id = old.entry) then
    return new;
  end if;
  raise insufficient_privilege using message = 'consent_states follow the entries of consents';
end $$;
