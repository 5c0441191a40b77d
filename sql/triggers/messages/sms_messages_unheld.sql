create trigger sms_messages_unheld before update of status on sms_messages
  for each row when (old.waiting_for = 'phone' and new.status <> old.status)
  execute function sms_messages_unheld();
