/**
 * SQL: the account's own number in message `m`: the one stored there, else that of its chosen line, else that
 * of its device `d`, else ''.
 */
export const OWN_NUMBER = `coalesce(
  nullif(case m.message_type when 'incoming' then m."to" else m."from" end, ''),
  (select nullif(l.number, '') from sms_dispatch q join lines l on l.id = q.line
    where q.message = m.id and q.line_pinned and m."from" = ''),
  d.phone, '')`
