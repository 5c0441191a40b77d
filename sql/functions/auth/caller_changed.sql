-- Trigger of API keys, memberships and tokens of SMSGate's API, which decide what a cached caller may do.
-- Updates the row of their account in users: servers compare its xmin in every statement, and then read the
-- caller again. A note of the last use changes nothing.
create or replace function caller_changed() returns trigger language plpgsql as $$
declare
  noted constant text[] := '{last_used_at,last_used_ip,last_used_prefix,updated}';
begin
  if tg_op = 'UPDATE' and to_jsonb(old) - noted = to_jsonb(new) - noted then
    return null;
  end if;
  update users set id = id where id in (
    select account from (values (to_jsonb(old)), (to_jsonb(new))) r(image)
    cross join lateral (values (coalesce(image ->> 'user', image ->> 'account'))) a(account)
  );
  return null;
end $$;
