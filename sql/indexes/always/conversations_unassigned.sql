-- A user's unassigned conversations that wait for an answer.
create index conversations_unassigned on conversations ("user", last_at)
  where unanswered and not archived and follow_up_at = '' and assignee = '';
