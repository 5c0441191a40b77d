-- A record id: 15 characters of [a-z0-9], about 70 random bits of two UUIDs. A single expression, so that
-- Postgres inlines it: the function call cost 4 ms per statement.
create or replace function pb_new_id() returns text language sql volatile as $$
  select substr(lower(translate(
    encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64'), '+/=', '')), 1, 15)
$$;
