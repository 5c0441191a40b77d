-- `to ~ "part"`: part of a number among 10 million messages, from 2,100 ms to 10.
create index concurrently sms_messages_to_trigrams on sms_messages using gin ("to" gin_trgm_ops);
