-- Jobs begin campaigns now, so no statement needs this index. Locks campaigns for an instant. The server adds
-- the fields of repeating campaigns when it starts.

drop index if exists campaigns_under_way;
