-- The sweeper looks for scheduled campaigns that have begun, and for sending ones that are over.
create index campaigns_under_way on campaigns (status, id) where status in ('scheduled', 'sending');
