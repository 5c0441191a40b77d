-- As person_hide for JSON of the person's own rows: names of members are hidden, too.
create or replace function person_hide_own(value json, number text, name text) returns json
language plpgsql stable as $$
begin
  return case json_typeof(value)
    when 'object' then (
      select coalesce(json_object_agg(person_hide(e.key, number, name), person_hide_own(e.value, number, name)), '{}')
      from json_each(value) e)
    when 'array' then (
      select coalesce(json_agg(person_hide_own(e.value, number, name)), '[]') from json_array_elements(value) e)
    else person_hide(value, number, name)
  end;
end $$;
