-- Counts the messages of a user, or of all, where sms_totals does not know them yet. As a function, so that
-- lists are planned without it.
create or replace function sms_counted(owner text) returns bigint language plpgsql stable as $$
begin
  if owner is null then
    return (select count(*) from sms_messages);
  end if;
  return (select count(*) from sms_messages where "user" = owner);
end $$;
