-- The price of a message to a number by a line: its segments by the price of the longest prefix
-- of the number, else by `default`; null if the number has no price. An MMS, which has no segments, costs
-- `mms`, else as one segment. In plpgsql, which keeps its plan for the session.
create or replace function sms_price(prices json, number text, segments numeric) returns numeric
language plpgsql immutable as $$
begin
  return (
    select p.value::numeric * case when p.key = 'mms' then 1 else greatest(segments, 1) end
    from json_each_text(prices) p
    where p.key = 'default' or starts_with(number, p.key) or p.key = 'mms' and segments = 0
    order by p.key = 'mms' desc, p.key = 'default', length(p.key) desc limit 1
  );
end $$;
