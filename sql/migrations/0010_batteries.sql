-- What phones report of charging and their connection, beside the battery. Locks the table for an instant, as
-- the columns have no defaults.

alter table device_batteries
  alter column percent drop not null,
  add column charging boolean,
  -- How the phone reaches the internet; null if it does not report that.
  add column connection text collate "C",
  -- When the owner was told that the battery is low; null once it has recovered.
  add column low_told_at timestamptz;
