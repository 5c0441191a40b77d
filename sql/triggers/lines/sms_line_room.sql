create trigger sms_line_room after insert or update or delete on lines
  for each row execute function sms_line_room();
