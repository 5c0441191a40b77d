-- For lists without a sort: see sms_messages_in_order.sql.
create index webhook_deliveries_in_order on webhook_deliveries ("user", _rowid nulls first);
