-- Adds `more` messages to a user's total in sms_totals, and `old` to the count of changes among messages that
-- are more than an hour old: by a random step, so that it never has a former value, not even after a database
-- has lost its last commits. It takes a row that no other transaction has locked, or inserts one: so it never
-- waits, and totals cannot deadlock.
create or replace function sms_count(counted oid, owner text, more bigint, old bigint) returns void
language plpgsql as $$
declare
  step constant bigint := case when old > 0 then 1 + floor(random() * 1e9) else 0 end;
begin
  update sms_totals t set messages = t.messages + more, older = t.older + step where t.id = (
    select c.id from sms_totals c where c.relation = counted and c."user" = owner limit 1 for update skip locked
  );
  if not found then
    insert into sms_totals (relation, "user", messages, older) values (counted, owner, more, step);
  end if;
end $$;
