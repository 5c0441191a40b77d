-- Trigger of contacts: gives the conversation with the contact's number the contact's labels. A new contact,
-- and one with another number, shares the labels that the conversation has already. The changed conversation
-- gives the contact its labels back (labels_of_conversation), which then have nothing left to change. May
-- deadlock with a change of the conversation; then src/platform/db/open.ts repeats the transaction.
create or replace function labels_of_contact() returns trigger language plpgsql as $$
declare
  is_other constant boolean := tg_op = 'INSERT' or (old."user", old.phone) <> (new."user", new.phone);
  given text[] := new.labels;
  found_labels text[];
  changed text;
begin
  select c.labels into found_labels from conversations c
  where c."user" = new."user" and c.number = new.phone for update;
  if found_labels is null then
    return null;
  end if;
  if is_other then
    given := labels_joined(new.labels, found_labels);
  end if;
  update conversations c set labels = given, updated = pb_text(now())
  where c."user" = new."user" and c.number = new.phone and c.labels <> given
  returning c.id into changed;
  if changed is not null then
    insert into _changes (collection, action, record)
    select 'conversations', 'update', changed where exists (select from _listeners where 'conversations' <> all (ignored));
  end if;
  changed := null;
  update contacts c set labels = given, updated = pb_text(now())
  where c.id = new.id and c.labels <> given
  returning c.id into changed;
  if changed is not null then
    insert into _changes (collection, action, record)
    select 'contacts', 'update', changed where exists (select from _listeners);
  end if;
  return null;
end $$;
