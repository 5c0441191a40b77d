create trigger consents_kept_whole before truncate on consents for each statement execute function consents_kept();
