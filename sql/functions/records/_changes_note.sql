-- Trigger of _changes: adds the row of a changed record where the writer gave only its id, and wakes the
-- readers. The row is as the change left it, since nobody else can write it before the commit. What wakes
-- carries no data, the rows do.
create or replace function _changes_note() returns trigger language plpgsql as $$
declare
  source regclass;
begin
  if new.image is null then
    select to_regclass(quote_ident(c.name)) into source from _collections c where c.id = new.collection;
    if source is not null then
      execute format('select row_to_json(t.*) from %s t where t.id = $1', source) into new.image using new.record;
    end if;
  end if;
  perform _announce('changes', '');
  return new;
end $$;
