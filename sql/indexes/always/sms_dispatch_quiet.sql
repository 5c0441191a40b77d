-- Texts that lines have and that keep quiet hours: the sweep and claims step through their time zones.
create index sms_dispatch_quiet on sms_dispatch ("user", quiet_zone, message)
  where state = 'assigned' and quiet_zone is not null;
