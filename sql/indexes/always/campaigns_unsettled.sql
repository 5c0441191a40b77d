-- Finds campaigns whose messages do not match the campaign's status yet, for the sweeper.
create index campaigns_unsettled on campaigns (updated) where not settled;
