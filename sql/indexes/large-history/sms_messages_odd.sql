-- For `body:fold ~ "part"`: the few texts with characters that no index of trigrams can be searched for.
create index concurrently sms_messages_odd on sms_messages ("user") where pb_is_odd(body);
