-- The conversations with a label, for the counts of saved views and its deletion. Conversations without
-- labels have no entry.
create index conversations_labelled on conversations using gin (labels) where labels <> '{}';
