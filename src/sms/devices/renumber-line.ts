import type { Store } from '../../collections/catalog.ts'

const RENUMBER = `
with changed as (
  update lines l set number = $3, updated = pb_text(now())
  where l.device = $1 and l.number = $2 and not exists (
    select from lines o where o.device = $1 and o.id <> l.id)
  returning l.id
)
select sms_lines_changed('update', array_agg(id)) from changed having count(*) > 0`

/** Changes the number of a device's only line with the device's, in its transaction. */
export async function renumberLine(
  { db }: Store,
  device: string,
  before: string,
  now: string,
): Promise<void> {
  await db.query(RENUMBER, [device, before, now], 'sms renumber line')
}
