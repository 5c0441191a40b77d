-- Gives the types of sms_accept what its parts hand to each other. Locks no table. A call of sms_accept that
-- runs during the migration may fail; it is then tried again.

-- The lines by which the API key of the request may send; null for all. sms_judge sets it.
alter type sms_request add attribute lines text[];
-- The id of a record of `senders`.
alter type sms_new_message add attribute sent_by text;
