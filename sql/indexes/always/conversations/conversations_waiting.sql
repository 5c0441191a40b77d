-- A user's conversations that wait for an answer, usually a small part of all.
create index conversations_waiting on conversations ("user", last_at)
  where unanswered and not archived and follow_up_at = '';
