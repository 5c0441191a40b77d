-- A user's conversations with a text that failed, usually few. Of texts that failed before the field was
-- there, those that are the last ones of their conversations count.
update conversations c set failure = sms_failure(m.error_message, m.sent_at)
from sms_messages m where m.id = c.last_message and c.last_message <> '' and m.status = 'failed';
create index conversations_failed on conversations ("user", last_at) where failure <> '';
