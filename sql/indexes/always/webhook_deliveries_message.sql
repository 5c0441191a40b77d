-- Deleting a message looks for its deliveries.
create index webhook_deliveries_message on webhook_deliveries (message);
