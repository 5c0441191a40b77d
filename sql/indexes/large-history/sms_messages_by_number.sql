-- For superusers, who search for a number or sort by number. `user` is included because Postgres may use this
-- index for one user's search, which then skips messages of other users. `_rowid` gives the order of
-- insertion without a sort, because incoming messages, perhaps hundreds of thousands, all have '' in `to`.
create index concurrently sms_messages_by_number on sms_messages ("to", _rowid, "user");
