-- A record id: 15 characters of [a-z0-9], about 70 random bits of two UUIDs. A single expression, which
-- Postgres inlines: calls of the function would cost a statement 4 ms.
create or replace function pb_new_id() returns text language sql volatile as $$
  select substr(lower(translate(
    encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64'), '+/=', '')), 1, 15)
$$;
