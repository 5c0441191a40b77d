-- Campaigns begin by their jobs, so that no statement needs this index. Locks campaigns for an instant. The
-- start adds the fields of campaigns that repeat.

drop index if exists campaigns_under_way;
