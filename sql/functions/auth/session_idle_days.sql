-- For how many days a session of a person may be unused: the fewest that the person's own account, or one for
-- which the person acts, has set. Null: no account has set any.
create or replace function session_idle_days(person text) returns int language sql stable as $$
  select min(session_days)::int from user_settings
  where session_days > 0
    and "user" = any(array(select person union all select account from members where member = person))
$$;
