-- A user's failed and pending texts by time. The trigger sms_messages_reason ensures that failed texts have a
-- reason and pending texts no line, so lists by status add these conditions (src/sms/extensions.ts). No index
-- has the status itself, so a change of status is a HOT update, which writes no index. The fillfactor leaves
-- room in a page for new versions of a text: without it, only two of three updates in a burst were HOT.
alter table sms_messages set (fillfactor = 80);
create index sms_messages_failed_or_waiting on sms_messages ("user", created) where error_message <> '' or line = '';
