-- What a delivery was last sent with. A column without a default: the table is locked for a moment.

-- Headers of the last attempt, by name; null before the first.
alter table webhook_payloads add column headers json;
