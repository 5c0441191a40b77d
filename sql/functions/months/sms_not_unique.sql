-- Raises what an index of a plain sms_messages would raise.
create or replace function sms_not_unique(index_name text, columns text, value text) returns void
language plpgsql as $$
begin
  raise unique_violation using
    message = format('duplicate key value violates unique constraint "%s"', index_name),
    detail = format('Key (%s)=(%s) already exists.', columns, value),
    table = 'sms_messages', constraint = index_name;
end $$;
