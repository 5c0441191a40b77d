-- Trigger of conversations: gives the contact with the conversation's number the conversation's labels. A new
-- conversation, and one with another number, shares the labels that the contact has already.
create or replace function labels_of_conversation() returns trigger language plpgsql as $$
declare
  is_other constant boolean := tg_op = 'INSERT' or (old."user", old.number) <> (new."user", new.number);
  given text[] := new.labels;
  found_labels text[];
  changed text;
begin
  select c.labels into found_labels from contacts c
  where c."user" = new."user" and c.phone = new.number for update;
  if found_labels is null then
    return null;
  end if;
  if is_other then
    given := labels_joined(new.labels, found_labels);
  end if;
  update contacts c set labels = given, updated = pb_text(now())
  where c."user" = new."user" and c.phone = new.number and c.labels <> given
  returning c.id into changed;
  if changed is not null then
    insert into _changes (collection, action, record)
    select 'contacts', 'update', changed where exists (select from _listeners);
  end if;
  changed := null;
  update conversations c set labels = given, updated = pb_text(now())
  where c.id = new.id and c.labels <> given
  returning c.id into changed;
  if changed is not null then
    insert into _changes (collection, action, record)
    select 'conversations', 'update', changed where exists (select from _listeners where 'conversations' <> all (ignored));
  end if;
  return null;
end $$;
