-- 0012 what people want to see of devices.

-- The last battery reading of each device that has one. Apart from the device's record: a reading is no change that
-- subscribers of the record need to hear of. Rows of devices that are gone, or silent for a month, are removed.
create table device_batteries (
  device text collate "C" primary key,
  percent real not null,
  at timestamptz not null default now()
);
