-- Stores a session with the hash of its first token, and returns whether no other session has this token.
-- Of a record's sessions only the 50 newest are kept in the list: the tokens of older ones stay valid.
create or replace function session_start(
  session_id text, of_collection text, of_record text, hash text, expires float8, from_ip text, agent text,
  by_method text
) returns boolean language plpgsql as $$
begin
  insert into auth_session_tokens (token_hash, session, expires_at) values (hash, session_id, to_timestamp(expires))
  on conflict do nothing;
  if not found then
    return false;
  end if;
  delete from auth_sessions where id in (
    select s.id from auth_sessions s
    where s.collection = of_collection and s.record = of_record and s.ended_at is null
    order by s.created desc offset 49
  );
  insert into auth_sessions (id, collection, record, token_hash, method, ip, user_agent, expires_at)
  values (session_id, of_collection, of_record, hash, by_method, from_ip, agent, to_timestamp(expires));
  return true;
end $$;
