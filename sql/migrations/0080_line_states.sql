-- Adds the type in which sms_assign and its steps pass the state of a line to each other. Locks nothing, and
-- servers without this migration keep running.

create type sms_line_state as (
  id text,
  device text,
  slot int,
  number text,
  prefixes text,
  -- see sms_rank_line; null if the line takes no text by itself
  rank int,
  is_available boolean,
  -- when its device has room again below its own limits; null if it has room
  full_until timestamptz,
  -- the line has limits or prices, so its texts are counted
  is_limited boolean,
  is_failing boolean,
  can_mms boolean,
  is_carrier boolean,
  -- its device was not seen for 45 s
  is_stale boolean,
  -- the day of its counters, and when that day and its month end
  day text,
  next_day timestamptz,
  next_month timestamptz,
  -- how many texts and recipients its limits allow; null for any
  day_room float8,
  month_room float8,
  has_recipient_limit boolean,
  recipient_room float8,
  -- its prices, budget and costs of the month, and whether its owner was told of a used budget
  prices json,
  budget numeric,
  spent numeric,
  is_told boolean,
  -- when it had its last turn, as a number
  turn bigint,
  -- what this call has given it
  day_more int,
  recipients_more int,
  cost_more numeric,
  has_turned boolean,
  -- a text did not fit into its budget
  has_stopped boolean
);
