-- The API key that made a campaign, whose bounds hold for its texts; null for other senders and makers. A
-- sender with a user_version is a person or a key.
create or replace function campaign_key(owner text, sender text, user_version text) returns text
language plpgsql stable as $$
begin
  if user_version is not null or sender = '' then
    return null;
  end if;
  return (
    select s.id from campaigns c join senders s on s.id = c.made_by
    where c.id = sender and c."user" = owner and s.kind = 'key'
  );
end $$;
