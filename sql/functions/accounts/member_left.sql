-- Trigger of members: unassigns the conversations of a member who was removed or became a viewer. Deletes a
-- removed member's push subscriptions and own views of the inbox.
create or replace function member_left() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from push_subscriptions where sender = old.id;
    with gone as (
      delete from inbox_views v where v."user" = old.account and v.author = old.id and not v.shared returning v.*
    )
    insert into _changes (collection, action, record, image)
    select 'inbox_views', 'delete', gone.id, row_to_json(gone.*) from gone where exists (select from _listeners);
  end if;
  with changed as (
    update conversations c set assignee = '', assigned_at = '', updated = pb_text(now())
    where c.id = any(array(
      select id from conversations where "user" = old.account and assignee = old.id and assignee <> ''
      order by number collate "C" for update
    )) returning c.id
  )
  insert into _changes (collection, action, record)
  select 'conversations', 'update', id from changed where exists (select from _listeners);
  return null;
end $$;
