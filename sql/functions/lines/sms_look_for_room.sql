-- Makes the next sweep of the queue try a user's messages again that wait for room on a line. Locks them in
-- the order of their ids, to avoid deadlocks.
create or replace function sms_look_for_room(owner text) returns void language sql as $$
  update sms_dispatch d set due_at = now() where d.message = any(array(
    select w.message from sms_dispatch w
    where w."user" = owner and w.state = 'pending' and w.waiting_for = 'room' and w.due_at < 'infinity'
    order by w.message for update
  ))
$$;
