-- Failed texts, and scheduled and waiting ones, of a user by time: the trigger sms_messages_reason gives the
-- former a reason and the latter no line. No index has the status: its changes are HOT and write none. Lists
-- by status add these conditions (messages-extension.ts). Pages have room for a text's next versions: in a
-- burst two of three updates were HOT without it.
alter table sms_messages set (fillfactor = 80);
create index sms_messages_failed_or_waiting on sms_messages ("user", created) where error_message <> '' or line = '';
