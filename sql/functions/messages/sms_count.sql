-- Adds `more`, which may be negative, to a user's messages in sms_totals. Updates a row that no other
-- transaction has locked, or inserts one, so it never waits and cannot deadlock.
create or replace function sms_count(counted oid, owner text, more bigint) returns void language plpgsql as $$
begin
  update sms_totals t set messages = t.messages + more where t.id = (
    select c.id from sms_totals c where c.relation = counted and c."user" = owner limit 1 for update skip locked
  );
  if not found then
    insert into sms_totals (relation, "user", messages) values (counted, owner, more);
  end if;
end $$;
