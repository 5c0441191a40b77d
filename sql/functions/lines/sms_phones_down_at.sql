-- From when on a user's own phones count as down, so that carriers send instead: `minutes` after the last of
-- them was seen. A phone that is woken by push counts as down once it has ignored wake-ups for so long.
-- '-infinity' without own phones.
create or replace function sms_phones_down_at(owner text, minutes float8) returns timestamptz
language plpgsql stable as $$
begin
  return coalesce((
    select max(case
      when pb_is_set(d.push) and not exists (
        select from sms_dispatch q where q.device = d.id and q.state = 'assigned' and q.wakes >= 5 + floor(minutes / 5)
      ) then 'infinity'
      else coalesce(nullif(d.last_seen, '')::timestamptz, '-infinity') + minutes * interval '1 minute'
    end)
    from devices d where d."user" = owner and d.enabled and d.platform not in ('carrier', 'simulator')
  ), '-infinity');
end $$;
