-- The contacts with a label, for its deletion. Contacts without labels have no entry.
create index contacts_labelled on contacts using gin (labels) where labels <> '{}';
