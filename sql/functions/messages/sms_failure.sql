-- The sentence of conversations about a text that failed: why it was not sent, or not delivered after it
-- was sent. An unknown outcome and a cancellation say so themselves.
create or replace function sms_failure(reason text, sent_at text) returns text
language sql immutable parallel safe as $$
  select left(case
    when reason = 'Canceled' or starts_with(reason, 'Outcome unknown') then reason
    else (case when sent_at = '' then 'Not sent' else 'Not delivered' end) || coalesce(': ' || nullif(reason, ''), '')
  end, 1000)
$$;
