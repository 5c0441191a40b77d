-- Trigger of _jobs: wakes the workers on all servers.
create or replace function _jobs_added() returns trigger language plpgsql as $$
begin
  perform _announce('pocketsms_jobs', '');
  return null;
end $$;
