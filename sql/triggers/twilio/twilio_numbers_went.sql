create trigger twilio_numbers_went after delete on devices referencing old table as went
  for each statement execute function twilio_numbers_went();
