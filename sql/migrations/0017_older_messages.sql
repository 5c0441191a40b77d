-- Lets deep pages begin at a border that was remembered: it is true as long as this count is the same. A new
-- column with a constant default: no row is written.

-- Grows by a random step whenever messages of the user that are more than an hour old have come or gone.
alter table sms_totals add column older bigint not null default 0;

-- sms_count has one more parameter now.
drop function if exists sms_count(oid, text, bigint);
