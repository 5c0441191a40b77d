-- Whether a person who has opted out, and has no contact, has opted in again since: by a word that joins a
-- group, or a confirmation. The word alone is enough: the person must get the question. A question of a page
-- is not. Apart from consent_stopped, because few numbers need it, and its start costs more than theirs.
create or replace function consent_rejoined(owner text, person text, stopped_at text) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from consent_states g join consents e on e.id = coalesce(consent_question(g.id), g.entry)
    where g."user" = owner and g.number = person and g."group" <> ''
      and case g.state
        when 'given' then (e.event = 'confirmed' or e.source in ('keyword', 'reply'))
          and (e.given_at = '' or e.given_at >= stopped_at)
        else e.source = 'keyword' and g.until > pb_text(clock_timestamp())
      end
  );
end $$;
