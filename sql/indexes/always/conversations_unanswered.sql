-- The conversations of a user that wait for an answer: few of many.
create index conversations_unanswered on conversations ("user", last_at) where unanswered;
