-- Trigger of auth_factors: a person has a second factor now, or has none any more. Only accounts that require
-- one are concerned: the person's own, and those that the person acts for.
create or replace function factor_changed() returns trigger language plpgsql as $$
declare
  person text := coalesce(new.record, old.record);
begin
  perform end_unprotected(array(
    select s."user" from user_settings s where s.second_factor_from <> ''
      and (s."user" = person or s."user" in (select account from members where member = person))
  ));
  return null;
end $$;
