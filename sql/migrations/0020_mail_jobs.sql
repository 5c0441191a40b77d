-- Mails about silent devices are jobs. When an owner was mailed about a device is kept here.
alter table device_silences add column mailed_at timestamptz;
drop table device_alarm_mails;
