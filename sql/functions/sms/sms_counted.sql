-- Counts the messages of a user, or all if `owner` is null, as long as sms_totals does not have the number. A
-- function, so that planning a list does not include this count.
create or replace function sms_counted(owner text) returns bigint language plpgsql stable as $$
begin
  if owner is null then
    return (select count(*) from sms_messages);
  end if;
  return (select count(*) from sms_messages where "user" = owner);
end $$;
