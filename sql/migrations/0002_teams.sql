-- Teams: members act for an account. Their tables are collections (src/collections/definition/builtin.json);
-- this file changes only the gateway's own tables. It locks auth_sessions for a moment.

-- An ended session ends the tokens with which its user acts for accounts.
create trigger acting_ended_by_session after update of ended_at on auth_sessions
  for each row when (old.ended_at is null and new.ended_at is not null and new.collection = '_pb_users_auth_')
  execute function acting_ended();
