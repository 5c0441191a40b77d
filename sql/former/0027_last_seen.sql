-- 0027 a device was not seen in the future.
-- Why: last_seen could be written by a device's owner, and nothing ever corrected a time in the future: the
-- device counted as
--        online for ever.
-- Locks: rows of devices with such a time.
do $$ begin
  if to_regclass('devices') is not null then
    update devices set last_seen = pb_text(now()) where last_seen > pb_text(now());
  end if;
end $$;
