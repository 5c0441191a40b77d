-- Notifies realtime subscribers of changed lines.
create or replace function sms_lines_changed(what text, ids text[]) returns void language sql as $$
  insert into _changes (collection, action, record)
  select 'lines', what, i.id from unnest(ids) i(id) where exists (select from _listeners)
$$;
