-- Counts the messages of a user, or all if `owner` is null. Needed while sms_totals does not have the count.
-- In a function, so that Postgres does not plan this query with each list.
create or replace function sms_counted(owner text) returns bigint language plpgsql stable as $$
begin
  if owner is null then
    return (select count(*) from sms_messages);
  end if;
  return (select count(*) from sms_messages where "user" = owner);
end $$;
