create trigger consent_states_kept before insert or update or delete on consent_states
  for each row execute function consent_states_kept();
