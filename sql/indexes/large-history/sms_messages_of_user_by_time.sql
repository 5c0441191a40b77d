-- Deep pages of a user: see sms_messages_by_time.
create index concurrently sms_messages_of_user_by_time on sms_messages ("user", created desc, _rowid);
