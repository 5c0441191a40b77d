-- Finds the other numbers of a person.
create index contacts_person on contacts ("user", person) where person <> '';
