-- The result of SQLite's json_extract(), cast to text: true is 1, numbers are written as SQLite writes them.
create or replace function pb_json_text(v json) returns text language sql immutable parallel safe as $$
  select case json_typeof(v)
    when 'number' then case when v #>> '{}' ~ '^-?[0-9]{1,18}$' then v #>> '{}' else pb_real_text(pb_float(v #>> '{}')) end
    when 'boolean' then case when v #>> '{}' = 'true' then '1' else '0' end
    else v #>> '{}'
  end
$$;
