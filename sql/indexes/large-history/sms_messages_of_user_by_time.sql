-- Pages far from the first in a user's list: see sms_messages_by_time.sql.
create index concurrently sms_messages_of_user_by_time on sms_messages ("user", created desc, _rowid);
