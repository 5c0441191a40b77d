-- For lists without a sort: see sms_messages_in_order.sql.
create index contacts_in_order on contacts ("user", _rowid nulls first);
