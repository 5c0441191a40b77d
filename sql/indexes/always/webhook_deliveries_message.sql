-- Finds the deliveries of a message that is deleted.
create index webhook_deliveries_message on webhook_deliveries (message);
