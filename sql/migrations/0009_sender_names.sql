-- The number of a line may be a carrier's name or short code for a sender (sms_sim_list). _collections is
-- locked for an instant.

update _collections set data = replace(data::text, '"^\\+[1-9][0-9]{1,14}$"',
  '"^(\\+[1-9][0-9]{1,14}|[0-9]{3,8}|[ -~]{0,10}[A-Za-z][ -~]{0,10})$"')::json
where id = 'lines';
