-- Gives the contact of `owner` whose number is stored in its national form the E.164 number, `phone`. If
-- another contact has that number, both stay as they are, but an opt-out of the first is copied to the other.
create or replace function sms_contact_join(owner text, stored text, phone text) returns void
language plpgsql as $$
declare
  changed text;
begin
  perform from contacts c where c."user" = owner and c.phone in (stored, sms_contact_join.phone)
  order by c.phone for update;
  begin
    update contacts c set phone = sms_contact_join.phone, updated = pb_text(now())
    where c."user" = owner and c.phone = stored
      and not exists (select from contacts k where k."user" = owner and k.phone = sms_contact_join.phone)
    returning c.id into changed;
  exception when unique_violation then
    -- a contact with the phone number was added meanwhile
    changed := null;
  end;
  if changed is null then
    update contacts k set opted_out = true, updated = pb_text(now())
    where k."user" = owner and k.phone = sms_contact_join.phone and not k.opted_out
      and exists (select from contacts c where c."user" = owner and c.phone = stored and c.opted_out)
    returning k.id into changed;
  end if;
  if changed is not null and exists (select from _listeners) then
    insert into _changes (collection, action, record) values ('contacts', 'update', changed);
  end if;
end $$;
