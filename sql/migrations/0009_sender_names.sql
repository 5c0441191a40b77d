-- The number of a line may be a sender's name or short code from a carrier (sms_sim_list). Locks _collections
-- for an instant.

update _collections set data = replace(data::text, '"^\\+[1-9][0-9]{1,14}$"',
  '"^(\\+[1-9][0-9]{1,14}|[0-9]{3,8}|[ -~]{0,10}[A-Za-z][ -~]{0,10})$"')::json
where id = 'lines';
