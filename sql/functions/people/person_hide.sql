-- A text or JSON without the number and the name of a person: dots stand in their place. `number` and `name`
-- are regular expressions; name is null without a name. In JSON each text and number is looked at by itself.
-- Names of members stay, in their order: programs and templates find values by them.
create or replace function person_hide(value text, number text, name text) returns text
language sql stable as $$
  select case when name is null then without else regexp_replace(without, name, '…', 'g') end
  from (select regexp_replace(value, number, '…', 'g')) w(without)
$$;

create or replace function person_hide(value json, number text, name text) returns json
language plpgsql stable as $$
begin
  return case json_typeof(value)
    when 'object' then (
      select coalesce(json_object_agg(e.key, person_hide(e.value, number, name)), '{}')
      from json_each(value) e)
    when 'array' then (
      select coalesce(json_agg(person_hide(e.value, number, name)), '[]') from json_array_elements(value) e)
    when 'string' then to_json(person_hide(value #>> '{}', number, name))
    when 'number' then case when value::text ~ number then to_json('…'::text) else value end
    else value
  end;
end $$;
