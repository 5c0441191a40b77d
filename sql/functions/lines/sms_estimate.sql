-- The cost of a user's texts by each line, if they were sent now: one row for each line, one with a null
-- line for the texts that no line takes now. Chooses lines as a send does, and changes nothing.
--
-- Parameters
--   owner, since, at, sticky   as in sms_assign
--   key                        the API key of the request, which may be limited to lines; '' for none
--   of_device, line_id, line_number, of_sim
--                              what the request names; '' and 0 for nothing
--   of_priority                the priority of the texts
--   texts                      JSON array of {n, to, segments}
create or replace function sms_estimate(
  owner text, since text, at timestamptz, sticky text, key text, of_device text, line_id text, line_number text,
  of_sim int, of_priority int, texts json
) returns table (line text, messages int, segments int, cost text) language plpgsql stable
set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  named text;
  key_lines text[];
begin
  if line_id || line_number <> '' then
    select min(l.line) into named
    from sms_named_lines(owner, nullif(line_id, ''), nullif(line_number, ''), nullif(of_device, ''), 0) l;
  end if;
  select nullif(k.lines, '{}') into key_lines from api_keys k where k.id = key;
  return query
  with sized as (
    select * from json_to_recordset(texts) t(n int, "to" text, segments int)
  ), given as materialized (
    select a.n, a.line, a.cost from sms_assign(owner, since, at, sticky, true, (
      select json_agg(json_build_object('n', t.n, 'to', t."to", 'segments', t.segments, 'priority', of_priority,
        'device', nullif(of_device, ''), 'line', named, 'sim', of_sim, 'lines', key_lines) order by t.n)
      from sized t
    ), true) a
  )
  select g.line, count(*)::int, sum(t.segments)::int, coalesce(sum(g.cost), 0)::text
  from given g join sized t on t.n = g.n group by g.line order by count(*) desc, g.line;
end $$;
