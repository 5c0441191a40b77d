create trigger callers_of_keys after delete or update on api_keys for each row execute function caller_changed();
