create trigger member_left after delete on members for each row execute function member_left();
