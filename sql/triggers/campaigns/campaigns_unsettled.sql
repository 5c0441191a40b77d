create trigger campaigns_unsettled after insert or update on campaigns
  for each row when (not new.settled) execute function campaigns_unsettled();
