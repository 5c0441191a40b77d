-- The sweeper looks for campaigns whose messages are not yet as their status says.
create index campaigns_unsettled on campaigns (updated) where not settled;
