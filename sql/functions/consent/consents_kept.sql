-- Trigger of consents: no statement changes or deletes an entry, with three exceptions:
--   a reference to a record that was deleted may become empty
--   an account that was closed takes its entries along
--   an erasure or a retention period sets pocketsms.forget to 'consents' for its transaction
-- A deleted entry leaves its hash, keyed with the server's secret, in _consents_forgotten: with a copy of the
-- entry from elsewhere, the hash proves that the entry existed.
create or replace function consents_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.contact = '' and not exists (select from contacts t where t.id = old.contact) then
      old.contact := '';
    end if;
    if new."group" = '' and not exists (select from contact_groups t where t.id = old."group") then
      old."group" := '';
    end if;
    if new.message = '' and not exists (select from sms_messages t where t.id = old.message) then
      old.message := '';
    end if;
    if new.entered_by = '' and not exists (select from senders t where t.id = old.entered_by) then
      old.entered_by := '';
    end if;
    if new is not distinct from old then
      return new;
    end if;
  elsif tg_op = 'DELETE' then
    if current_setting('pocketsms.forget', true) = 'consents'
      or not exists (select from users u where u.id = old."user")
    then
      insert into _consents_forgotten (hash, "user", event, created)
      values (encode(sha256(convert_to(
        coalesce((select value::text from _params where key = 'secretKey'), '') || row_to_json(old)::text, 'UTF8'
      )), 'hex'), old."user", old.event, old.created)
      on conflict do nothing;
      return old;
    end if;
  end if;
  raise insufficient_privilege using message = 'entries of consents are never changed or deleted';
end $$;
