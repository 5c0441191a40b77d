-- Texts that only the sending device may read, such as codes: sms_messages.body contains dots, the queue has
-- the encrypted text. Locks sms_dispatch for an instant, as the column has no default.

alter type sms_request add attribute sealed text;
alter table sms_dispatch
  -- The encrypted text that the device sends instead of the message's body (src/db/secrets.ts); null for the
  -- body.
  add column sealed text collate "C";
