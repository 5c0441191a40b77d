create trigger callers_of_members after update on members for each row execute function caller_changed();
