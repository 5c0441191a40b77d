create trigger account_audit_numbered after insert on account_audit for each row execute function _audit_queued();
