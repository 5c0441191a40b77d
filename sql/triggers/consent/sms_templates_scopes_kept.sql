create trigger sms_templates_scopes_kept after delete on sms_templates
  for each row when (old.requires_consent) execute function scopes_kept();
