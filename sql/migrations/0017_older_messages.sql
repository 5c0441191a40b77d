-- Lets deep pages begin at a border that was remembered: it is true as long as this count is the same. A new
-- column with a constant default: no row is written.

-- How many messages of the user, more than an hour old, have come and gone. It never gets less.
alter table sms_totals add column older bigint not null default 0;

-- sms_count has one more parameter now.
drop function if exists sms_count(oid, text, bigint);
