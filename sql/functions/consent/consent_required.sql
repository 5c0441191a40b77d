-- Whether a template or one of these contact groups of an account (`owner`) requires consent.
create or replace function consent_required(owner text, template text, groups text[]) returns boolean
language sql stable as $$
  select exists (
    select from sms_templates t where t.id = consent_required.template and t."user" = owner and t.requires_consent
  ) or exists (
    select from contact_groups g where g.id = any (consent_required.groups) and g."user" = owner and g.requires_consent
  )
$$;
