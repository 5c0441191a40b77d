-- Lines whose texts fail one after the other.
alter table line_use
  -- Texts that failed in a row.
  add column failures integer not null default 0,
  -- When the owner was last told that the line is failing.
  add column failing_told_at timestamptz;
