-- A trigger before an update must not change other rows of its table: the same statement may update them.
drop trigger line_returned on sms_dispatch;
create trigger line_returned after update of state on sms_dispatch
  for each row when (new.state = 'pending' and old.state <> 'pending' and old.charged <> '')
  execute function sms_line_freed();

-- The tests of a webhook that wait are counted before another one.
create index webhook_dispatch_tests on webhook_dispatch (webhook) where event = 'webhook.test';
