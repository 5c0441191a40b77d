-- The sweeper looks for campaigns whose messages do not match the campaign's status yet.
create index campaigns_unsettled on campaigns (updated) where not settled;
