-- What a segment to a number costs by the prices of a line: that of the longest prefix of the number, else
-- `default`; null if the number has no price. In plpgsql, which keeps its plan for the session.
create or replace function sms_price(prices json, number text) returns numeric language plpgsql immutable as $$
begin
  return (
    select p.value::numeric from json_each_text(prices) p
    where p.key = 'default' or starts_with(number, p.key)
    order by p.key = 'default', length(p.key) desc limit 1
  );
end $$;
