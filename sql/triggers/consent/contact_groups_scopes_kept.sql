create trigger contact_groups_scopes_kept after delete on contact_groups
  for each row when (old.requires_consent) execute function scopes_kept();
