-- The SIMs that a device has reported in its field `sims`: one row for each slot from 1 to 8, '' for unknown
-- values. The server has read the numbers (complete-sim-numbers.ts). Accepts our names of members and those
-- of other programs. If a SIM has no number, `sender` is used, a name or short code. If it has no slot, its
-- position in the list is used.
create or replace function sms_sim_list(sims json) returns table (slot int, number text, carrier text, country text)
language sql immutable as $$
  select distinct on (s.slot) s.slot,
    case when s.number ~ '^\+[1-9][0-9]{1,14}$' then s.number when s.sender ~ '^([0-9]{3,8}|[ -~]{0,10}[A-Za-z][ -~]{0,10})$' then s.sender else '' end,
    left(s.carrier, 100), case when upper(s.country) ~ '^[A-Z]{2}$' then upper(s.country) else '' end
  from (
    select
      case when coalesce(e.sim ->> 'slot', e.sim ->> 'simNumber') ~ '^[0-9]$'
        then coalesce(e.sim ->> 'slot', e.sim ->> 'simNumber')::int else e.place::int end as slot,
      coalesce(e.sim ->> 'number', e.sim ->> 'phoneNumber', e.sim ->> 'phone', '') as number,
      btrim(e.sim ->> 'sender') as sender,
      coalesce(e.sim ->> 'carrier', e.sim ->> 'carrierName', e.sim ->> 'operator', '') as carrier,
      coalesce(e.sim ->> 'country', e.sim ->> 'countryIso', '') as country,
      e.place
    from json_array_elements(case when json_typeof(sims) = 'array' then sims else '[]' end)
      with ordinality e(sim, place)
    where json_typeof(e.sim) = 'object'
  ) s
  where s.slot between 1 and 8 order by s.slot, s.place
$$;
