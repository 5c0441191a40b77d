-- Trigger of _jobs: wakes the workers of all nodes. Postgres merges the notifications of a transaction.
create or replace function _jobs_added() returns trigger language plpgsql as $$
begin
  perform pg_notify('pocketsms_jobs', '');
  return null;
end $$;
