create trigger consents_kept before update or delete on consents for each row execute function consents_kept();
