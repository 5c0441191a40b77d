-- Checks a code of the verification that verify_named finds. One UPDATE counts the try and judges the code,
-- so tries are exact on any number of servers. A verification that has ended, or that there is not, counts
-- as expired, and a message to the write-ahead log makes the commit for an unknown one take as long as
-- another: the time reveals nothing. `code_hash`: of the code and its account.
create or replace function verify_check(
  of_user text, named_id text, number text, of_service text, code_hash text, max_attempts int
) returns table (
  id text, "to" text, service text, channel text, status text, attempts float8, expires_at text, created text,
  updated text
) language plpgsql as $$
#variable_conflict use_column
declare
  named constant text := verify_named(of_user, named_id, number, of_service);
  is_judged boolean;
begin
  if named is null then
    perform pg_logical_emit_message(true, 'verify', '');
    return query select '', number, of_service, 'sms', 'expired', 0::float8, '', '', '';
    return;
  end if;
  with written as (
    update verifications v set updated = pb_text(now()),
      attempts = v.attempts + (v.expires_at > pb_text(now()))::int,
      status = case when v.expires_at <= pb_text(now()) then 'expired' when c.hash = code_hash then 'approved'
        when v.attempts + 1 >= max_attempts then 'max_attempts_reached' else 'pending' end
    from _verify_codes c
    where v.id = named and v.status = 'pending' and c.verification = v.id
    returning v.*
  ), forgotten as (
    delete from _verify_codes c using written w where c.verification = w.id and w.status <> 'pending'
  ), noted as (
    insert into _changes (collection, action, record) select 'verifications', 'update', w.id from written w
    where exists (select from _listeners where 'verifications' <> all (ignored))
  )
  select exists (select from written) into is_judged;
  return query
  select v.id, v."to", v.service, v.channel,
    case when is_judged or v.status in ('canceled', 'max_attempts_reached') then v.status else 'expired' end,
    v.attempts, v.expires_at::text, v.created::text, v.updated::text
  from verifications v where v.id = named;
end $$;
