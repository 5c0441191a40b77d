-- For lists without a sort: see sms_messages_in_order.sql.
create index sms_events_in_order on sms_events ("user", _rowid nulls first);
