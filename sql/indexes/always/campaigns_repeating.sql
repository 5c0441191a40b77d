-- An account's campaigns that repeat are counted when another one is made.
create index campaigns_repeating on campaigns ("user") where status in ('repeating', 'paused');
