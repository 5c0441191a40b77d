-- Records the outcomes of attempts, an array of JSON objects, except where another attempt has recorded
-- one. `before`: attempts before this one; `delay`: seconds to the next, null for none. `is_over`: all
-- these deliveries are finished and leave the queue. Returns the ids of the recorded ones. A join with
-- `given` alone would make Postgres expect too many rows and read whole tables, hence `any(array(…))`.
-- Of a delivery whose answer was deleted with its text (src/gateway/retention/end-messages.ts), a later
-- answer and the headers of its call are not stored: they may quote the text.
create or replace function webhook_record(outcomes json, is_over boolean) returns setof text language plpgsql as $$
begin
  return query
  with given as (
    select * from json_to_recordset(outcomes) g(delivery text, "user" text, status text, before float8,
      attempts float8, code float8, text text, "latencyMs" float8, delay float8, headers json)
  ), written as (
    update webhook_deliveries d
    set status = g.status, attempts = g.attempts, response_status = g.code,
      response_body = case d.response_body when 'Deleted with the text' then d.response_body else g.text end,
      latency_ms = g."latencyMs", updated = pb_text(now()),
      next_attempt_at = case when g.delay is null then '' else pb_text(now() + g.delay * interval '1 second') end
    from given g
    where d.id = g.delivery and d.id = any(array(select g.delivery from given g)) and d."user" || '' = g."user"
      and d.status = 'pending' and d.attempts = g.before
    returning d.*
  ), sent as (
    insert into webhook_headers (delivery, headers)
    select w.id, g.headers from written w join given g on g.delivery = w.id
    where g.headers is not null and w.response_body <> 'Deleted with the text'
    on conflict (delivery) do update set headers = excluded.headers
  ), ended as (
    delete from webhook_dispatch d using written w
    where is_over and d.delivery = w.id and d.delivery = any(array(select w.id from written w))
  ), noted as (
    insert into _changes (collection, action, record, image)
    select 'webhook_deliveries', 'update', w.id, row_to_json(w.*) from written w
    where exists (select from _listeners where 'webhook_deliveries' <> all (ignored))
  )
  select w.id::text from written w;
end $$;
