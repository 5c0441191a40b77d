create trigger consents_applied after insert on consents for each row execute function consents_applied();
