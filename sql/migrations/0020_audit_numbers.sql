-- Entries of the audit logs have numbers instead of seals. Locks the tables of the seals, _audit and
-- account_audit until the migration commits: a copy of 100,000 numbers takes less than a second. Servers of
-- the release before write seals, so they stop.
lock table _audit, _audit_unsealed, _audit_seals, _audit_chains;

-- Entries that have no number yet, in the order of their inserts: written by triggers, in the transaction of
-- the entry, so that an entry that is committed late is not left out.
create table _audit_queue (
  position bigint generated always as identity primary key,
  -- '': the log of superusers.
  account text collate "C" not null,
  entry text collate "C" not null
);
insert into _audit_queue (account, entry) select account, entry from _audit_unsealed order by number;

-- The numbers of entries, without a gap in each log. The server that publishes the entries gives them.
create table _audit_numbers (
  account text collate "C" not null,
  number bigint not null,
  entry text collate "C" not null,
  primary key (account, number)
);
insert into _audit_numbers select account, number, entry from _audit_seals;
create index _audit_numbers_entry on _audit_numbers (entry);

-- The logs: of superusers, with the account '', and of accounts.
create table _audit_logs (
  account text collate "C" primary key,
  -- The first number that retention has kept.
  first_number bigint not null default 1,
  last_number bigint not null
);
insert into _audit_logs select account, first_number + 1, last_number from _audit_chains
  where account = '' or exists (select from _audit_numbers n where n.account = _audit_chains.account);

drop table _audit_unsealed, _audit_seals, _audit_chains;
-- A new database has no account_audit yet: the start makes its trigger.
do $$
begin
  if to_regclass('account_audit') is not null then
    drop trigger if exists account_audit_queued on account_audit;
    create trigger account_audit_numbered after insert on account_audit for each row execute function _audit_queued();
  end if;
end $$;
update _schema set oldest = 20;
