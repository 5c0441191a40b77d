-- 0015 whose calls wait is found by user.

-- Turns at webhooks go by user, then by webhook: who has as many calls as one may have is stepped over at once.
-- Locks: webhook_dispatch against writes while they build, some 2 s for a million deliveries that wait.
drop index webhook_dispatch_due;
drop index webhook_dispatch_handed;
create index webhook_dispatch_due on webhook_dispatch ("user", webhook, due_at) where handed_at is null;
create index webhook_dispatch_handed on webhook_dispatch ("user", webhook) where handed_at is not null;
