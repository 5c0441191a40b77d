-- For filters like `from ~ "part"`: see sms_messages_to_trigrams.sql. A search in texts compares both
-- numbers: without this index Postgres would read all texts. Sent texts have '' there, which takes a byte.
create index concurrently sms_messages_from_trigrams on sms_messages using gin ("from" gin_trgm_ops);
