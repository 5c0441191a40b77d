-- The conversations of a user that wait for an answer: few of many.
create index conversations_waiting on conversations ("user", last_at)
  where unanswered and not archived and follow_up_at = '';
