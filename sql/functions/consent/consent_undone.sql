-- Undoes the last opt-out of a number from all texts, which was entered by mistake: the states that it has
-- changed are again what they were (`previous`), without any statement of the person, and the contact gets
-- texts again. States that it made go.
create or replace function consent_undone(owner text, of_number text) returns void language plpgsql as $$
declare
  at constant text := pb_text(clock_timestamp());
  mistake constant text := (
    select s.entry from consent_states s
    where s."user" = owner and s.number = of_number and s."group" = '' and s.purpose = 'all' and s.state = 'stopped'
  );
begin
  with restored as (
    update consent_states s set updated = at, previous = null, state = s.previous ->> 'state',
      since = s.previous ->> 'since', until = s.previous ->> 'until', entry = s.previous ->> 'entry'
    where s."user" = owner and s.number = of_number and s.entry = mistake and s.previous is not null
    returning s.id
  ), gone as (
    delete from consent_states s
    where s."user" = owner and s.number = of_number and s.entry = mistake and s.previous is null
    returning s.*
  )
  insert into _changes (collection, action, record, image)
  select 'consent_states', c.action, c.id, c.image
  from (select 'update' as action, id, null::json as image from restored union all select 'delete', id, row_to_json(gone.*) from gone) c
  where exists (select from _listeners where 'consent_states' <> all (ignored));
  with written as (
    update contacts c set opted_out = exists (
      select from consent_states s
      where s."user" = owner and s.number = of_number and s."group" = '' and s.purpose = 'all' and s.state = 'stopped'
    ), updated = at
    where c."user" = owner and c.phone = of_number and c.opted_out
    returning id
  )
  insert into _changes (collection, action, record)
  select 'contacts', 'update', id from written
  where exists (select from _listeners where 'contacts' <> all (ignored));
end $$;
