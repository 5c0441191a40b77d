-- Trigger of consent_states: only the trigger of consents writes them. A row may go with its account or its
-- group, and with an erasure (see consents_kept). When a group is deleted, the rows of those who have left it
-- stay (see consent_left): a text to the group may still wait, or be sent again.
create or replace function consent_states_kept() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() > 1 then
    return coalesce(new, old);
  end if;
  if tg_op = 'DELETE' and (
    current_setting('pocketsms.forget', true) = 'consents'
    or not exists (select from users u where u.id = old."user")
  ) then
    return old;
  end if;
  if tg_op = 'DELETE' and old."group" <> '' and not exists (select from contact_groups g where g.id = old."group") then
    if consent_left(old."user", array[old.number::text], array[old."group"::text]) <> '{}' then
      return null;
    end if;
    return old;
  end if;
  if tg_op = 'UPDATE' and new.entry = '' and not exists (select from consents e where e.id = old.entry) then
    return new;
  end if;
  raise insufficient_privilege using message = 'consent_states follow the entries of consents';
end $$;
