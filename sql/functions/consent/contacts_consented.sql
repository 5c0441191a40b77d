-- Trigger of contacts: each change of opted_out adds an entry to consents, whoever made it. What proves the
-- change stands in the setting pocketsms.consent of the transaction, JSON with fields of an entry
-- (src/gateway/consent/consent-entries.ts); without it the source is `api`. An import adds an entry for each
-- new contact.
--
-- A new contact of a person who has opted out before adds no entry (contacts_stopped), unless the person has
-- said it again.
create or replace function contacts_consented() returns trigger language plpgsql as $$
declare
  proof constant json := nullif(current_setting('pocketsms.consent', true), '')::json;
  is_new constant boolean := tg_op = 'INSERT' or old.phone <> new.phone or old."user" <> new."user";
  event constant text := case
    when new.opted_out then 'opt_out'
    when not is_new then 'opt_in'
    when tg_op = 'INSERT' and proof ->> 'source' = 'import' then 'imported'
  end;
  entry constant text := pb_new_id();
begin
  -- consents_applied has changed the contact because of an entry
  if event is null or pg_trigger_depth() > 1 then
    return null;
  end if;
  if is_new and new.opted_out and coalesce(proof ->> 'source', 'api') not in ('keyword', 'page') and exists (
    select from consent_states s
    where s."user" = new."user" and s.number = new.phone and s."group" = '' and s.purpose = 'all' and s.state = 'stopped'
  ) then
    return null;
  end if;
  insert into consents (
    id, "user", contact, number, purpose, event, source, shown, version, said, message, address, browser, given_at,
    entered_by, created
  ) values (
    entry, new."user", new.id, new.phone, 'all', event, coalesce(proof ->> 'source', 'api'),
    coalesce(proof ->> 'shown', ''), coalesce(proof ->> 'version', ''), coalesce(proof ->> 'said', ''),
    coalesce(proof ->> 'message', ''), coalesce(proof ->> 'address', ''), coalesce(proof ->> 'browser', ''),
    '', coalesce(proof ->> 'entered_by', ''), pb_text(clock_timestamp())
  );
  insert into _changes (collection, action, record)
  select 'consents', 'create', entry where exists (select from _listeners where 'consents' <> all (ignored));
  return null;
end $$;
