-- Ends what people may no longer do in accounts that require a second factor by now, or whose memberships a
-- directory must prove again: updates the accounts' rows in users, because servers then read cached callers
-- again, closes event streams, and deletes the push subscriptions of these people.
create or replace function end_unprotected(accounts text[]) returns void language plpgsql as $$
begin
  perform from users where id = any(accounts) order by id for update;
  update users set id = id where id = any(accounts);
  delete from push_subscriptions p where p."user" = any(accounts) and (
    lacks_factor(p."user", coalesce((select member from members m where m.id = p.sender), p."user"))
    or exists (select from members m where m.id = p.sender and proof_is_over(m.proven_until))
  );
  insert into _changes (collection, action, record)
  select distinct '_auth_sessions', 'delete', '_pb_users_auth_ ' || account from unnest(accounts) account
  where exists (select from _listeners);
end $$;
