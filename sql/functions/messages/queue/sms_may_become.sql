-- Whether a message of this status may become `next`: NEXT of src/gateway/base/message-status.ts, as
-- test/gateway/base/message-status.test.ts proves. Postgres inlines it. It uses no index on the status: by
-- one, a claim took 490 ms, not 0.3.
create or replace function sms_may_become(status text, next text) returns boolean
language sql immutable parallel safe as $$
  select status || '' = any (case next
    when 'pending' then '{assigned}'
    when 'assigned' then '{pending,assigned,sending}'
    when 'sending' then '{assigned}'
    when 'sent' then '{sending}'
    when 'delivered' then '{sending,sent}'
    when 'failed' then '{pending,assigned,sending,sent}'
    else '{}'
  end::text[])
$$;
