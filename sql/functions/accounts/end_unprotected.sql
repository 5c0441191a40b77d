-- Ends what people without a second factor may do in accounts that require one by now: updates the accounts'
-- rows in users, because servers then read cached callers again, closes event streams, and deletes the push
-- subscriptions of these people.
create or replace function end_unprotected(accounts text[]) returns void language plpgsql as $$
begin
  perform from users where id = any(accounts) order by id for update;
  update users set id = id where id = any(accounts);
  delete from push_subscriptions p where p."user" = any(accounts)
    and lacks_factor(p."user", coalesce((select member from members m where m.id = p.sender), p."user"));
  insert into _changes (collection, action, record)
  select distinct '_auth_sessions', 'delete', '_pb_users_auth_ ' || account from unnest(accounts) account
  where exists (select from _listeners);
end $$;
