-- A user's failed and pending texts by time: the trigger sms_messages_reason ensures that failed ones have a
-- reason and pending ones no line. Lists by status add these conditions (messages-extension.ts), as no index
-- has the status itself: its changes are HOT updates, which write no index. The fillfactor leaves room in a
-- page for new versions of a text: without it, only two of three updates were HOT in a burst.
alter table sms_messages set (fillfactor = 80);
create index sms_messages_failed_or_waiting on sms_messages ("user", created) where error_message <> '' or line = '';
