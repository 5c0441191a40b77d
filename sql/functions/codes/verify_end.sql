-- Ends the pending verification that verify_named finds, as `ended`, and forgets its code. Returns it as it
-- is then, with the text that carried the code as `message`; '' if it had ended before. No row: there is
-- none.
create or replace function verify_end(
  of_user text, named_id text, number text, of_service text, ended text
) returns table (
  id text, "to" text, service text, channel text, status text, attempts float8, expires_at text, created text,
  updated text, message text
) language plpgsql as $$
#variable_conflict use_column
declare
  named constant text := verify_named(of_user, named_id, number, of_service);
  is_ended boolean;
begin
  with written as (
    update verifications v set updated = pb_text(now()), status = ended,
      attempts = case ended when 'approved' then 0 else v.attempts end
    where v.id = named and v.status = 'pending' and v.expires_at > pb_text(now())
    returning v.*
  ), forgotten as (
    delete from _verify_codes c using written w where c.verification = w.id
  ), noted as (
    insert into _changes (collection, action, record) select 'verifications', 'update', w.id from written w
    where exists (select from _listeners where 'verifications' <> all (ignored))
  )
  select exists (select from written) into is_ended;
  return query
  select v.id, v."to", v.service, v.channel, v.status, v.attempts, v.expires_at::text, v.created::text,
    v.updated::text, case when is_ended then v.message else '' end
  from verifications v where v.id = named;
end $$;
