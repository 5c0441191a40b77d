-- Notes the use of a key, hook or device, or an act of a member, at an address that its list excludes: an
-- audit entry for each network and hour, at most 20 an hour for a record, and a mail to the owner, at most
-- one an hour for the account.
create or replace function auth_note_refused_address(
  account text, collection text, record text, label text, address text, network text
) returns void language plpgsql as $$
declare
  shown text := coalesce(nullif(label, ''), (select name from senders where id = record), '');
begin
  if auth_take_tries(array['refused ' || record || ' ' || network, 'refused ' || record], array[1, 20], 3600, '') > 0 then
    return;
  end if;
  insert into account_audit (id, "user", action, collection, record, fields, ip, created)
  values (pb_new_id(), account, 'refused', collection, record, '["addresses"]', address, pb_text(now()));
  if auth_take_tries(array['mail of refused addresses ' || account], array[1], 3600, '') > 0 then
    return;
  end if;
  insert into _jobs (kind, holder, key, payload)
  values ('alarm_mail', account, gen_random_uuid()::text,
    jsonb_build_array(jsonb_build_object(
      'name', shown, 'refusedAddress', address, 'refusedOf', collection, 'waiting', 0
    )));
end $$;
