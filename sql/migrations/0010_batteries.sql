-- What phones say of charging and their connection, beside the battery. The table is locked for an instant:
-- the columns have no defaults.

alter table device_batteries
  alter column percent drop not null,
  add column charging boolean,
  -- How it reaches the internet; null if it does not say.
  add column connection text collate "C",
  -- When the owner was told that it is low; null once it has recovered.
  add column low_told_at timestamptz;
