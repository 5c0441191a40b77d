create trigger acting_ended_by_user after update of "tokenKey" on users
  for each row when (old."tokenKey" <> new."tokenKey") execute function acting_ended();
