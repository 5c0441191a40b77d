create trigger account_audit_queued after insert on account_audit for each row execute function _audit_queued();
-- Queues entries that existed before this trigger.
insert into _audit_unsealed (account, entry) select "user", id from account_audit order by created, _rowid;
