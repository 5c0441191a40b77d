-- Adds a label of `owner`, by its id, to the conversations and contacts with these numbers; those that have
-- 20 labels keep them. Does nothing for a label that was deleted. Locks conversations before contacts, as an
-- incoming text does.
create or replace function labels_add(owner text, numbers text[], label text) returns void
language plpgsql as $$
begin
  perform from labels l where l.id = label and l."user" = owner;
  if not found then
    return;
  end if;
  with changed as (
    update conversations c set labels = labels_joined(c.labels, array[label]), updated = pb_text(now())
    where c.id = any(array(
      select o.id from conversations o where o."user" = owner and o.number = any(numbers)
        and label <> all(o.labels) and cardinality(o.labels) < 20
      order by o.number collate "C" for update
    )) returning c.id
  )
  insert into _changes (collection, action, record) select 'conversations', 'update', id from changed
  where exists (select from _listeners where 'conversations' <> all (ignored));
  with changed as (
    update contacts c set labels = labels_joined(c.labels, array[label]), updated = pb_text(now())
    where c.id = any(array(
      select o.id from contacts o where o."user" = owner and o.phone = any(numbers)
        and label <> all(o.labels) and cardinality(o.labels) < 20
      order by o.phone collate "C" for update
    )) returning c.id
  )
  insert into _changes (collection, action, record) select 'contacts', 'update', id from changed
  where exists (select from _listeners);
end $$;
