-- Those of them that are nobody's.
create index conversations_unassigned on conversations ("user", last_at)
  where unanswered and not archived and follow_up_at = '' and assignee = '';
