-- Trigger of members, users and auth_sessions, for changes after which a member may no longer act for an
-- account. Updates the rows of the accounts and of the member in users, because servers then read cached
-- callers again, and closes their event streams. After a change of a membership, also deletes invitations
-- that the member has sent, and the account's pairing codes if the member was an admin. When all sessions of
-- a user end, so do the pairing codes that these may have made.
create or replace function acting_ended() returns trigger language plpgsql as $$
declare
  ended text[];
begin
  if tg_table_name = 'members' then
    ended := array[old.account, old.member];
    delete from member_invitations where invited_by = old.id;
    if old.role = 'admin' then
      delete from device_pairings where "user" = old.account;
    end if;
  elsif tg_table_name = 'users' then
    ended := array(select account from members where member = new.id or account = new.id
      union select member from members where account = new.id);
  else
    ended := array(select account from members where member = new.record);
  end if;
  perform from users where id = any(ended) order by id for update;
  if tg_table_name = 'users' then
    delete from device_pairings where "user" = new.id
      or "user" in (select account from members where member = new.id and role = 'admin');
  end if;
  update users set id = id where id = any(ended);
  insert into _changes (collection, action, record)
  select distinct '_auth_sessions', 'delete', '_pb_users_auth_ ' || account from unnest(ended) account
  where exists (select from _listeners);
  return null;
end $$;
