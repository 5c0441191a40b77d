-- Servers cache who has a token of SMSGate's API. A pair that ends before its time changes the row of its
-- account, so that they ask the database again. Locks smsgate_tokens for a moment.
create trigger callers_of_tokens after delete or update on smsgate_tokens
  for each row when (old.refresh_until > now()) execute function caller_changed();
