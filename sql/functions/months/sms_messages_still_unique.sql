-- Trigger of sms_messages with partitions: see sms_messages_unique, for a reference or an owner that changes.
create or replace function sms_messages_still_unique() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7367024, hashtext(new.client_ref || new."user") & 63);
  if (select count(*) from sms_messages m
    where m."user" = new."user" and m.client_ref = new.client_ref and m.client_ref <> '') > 1
  then
    perform sms_not_unique('idx_sms_messages_client_ref', '"user", client_ref', new."user" || ', ' || new.client_ref);
  end if;
  return null;
end $$;
