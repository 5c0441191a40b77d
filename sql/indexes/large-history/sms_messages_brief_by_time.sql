-- Lists of superusers by status, newest first: the few failed texts among a million delivered ones.
create index concurrently sms_messages_brief_by_time on sms_messages_brief (status, created, _rowid);
