-- An account's texts with files, for the deletion of old files. Other texts do not write this index.
create index sms_messages_with_files on sms_messages ("user", created) where attachments <> '{}';
