-- The sweeper looks for campaigns that have begun or are over.
create index campaigns_under_way on campaigns (status, id) where status in ('scheduled', 'sending');
