import type { Db } from '../../../src/platform/db/open.ts'

const DIFFERENCES = `
select coalesce(m.id, 'row ' || b._rowid) || ': ' || case when b._rowid is null then 'no brief row'
  when m._rowid is null then 'a brief row without a text' else 'another brief row' end
from sms_messages m full join sms_messages_brief b on b._rowid = m._rowid
where (m."user", m.status, m.message_type, m.created::text)
  is distinct from (b."user", b.status, b.message_type, b.created::text)
union all
select 'row ' || _rowid || ': ' || count(*) || ' brief rows' from sms_messages_brief group by _rowid having count(*) > 1
order by 1`

/** How the table sms_messages_brief differs from the texts; empty if it agrees. */
export const briefFaults = async (db: Pick<Db, 'query'>): Promise<string[]> =>
  (await db.query(DIFFERENCES)).rows.map(([fault]) => String(fault))
