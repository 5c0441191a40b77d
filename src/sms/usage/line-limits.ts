import type { Store } from '../../collections/catalog.ts'
import { type Row, run, runForRow, statement } from '../../db/statement.ts'

/** The used share of a limit from which a line counts as near it. */
const NEAR = 0.9
const MAX_NAMES = 10

const COUNTS = statement('line figures', { near: 'number', full: 'number', all: 'number' })`
select count(*) filter (where not is_full) as near, count(*) filter (where is_full) as full,
  (select count(*) from lines l join devices d on d.id = l.device where l.enabled and l.present and d.enabled) as all
from sms_lines_near_limits(${NEAR})`

/** Counts the lines that can send by what they have used of their own limits. Throws DatabaseUnavailable. */
export async function readLineFigures({ db }: Store) {
  const { near, full, all } = (await runForRow(db, COUNTS, {}))!
  return { free: Math.max(0, all - near - full), near, full }
}

/** Names of full lines and of lines near a limit, by account, and how many there are. */
const NAMED = statement('line warnings', {
  ...{ is_full: 'boolean', owner: 'string', count: 'number', names: 'string[]', total: 'number' },
})`
select n.is_full, n.owner, n.count, n.names, n.total from (
  select is_full, coalesce(nullif(u.email, ''), u.id) as owner, count(*) as count,
    (array_agg(coalesce(nullif(l.label, ''), d.name || case when l.slot > 0 then ' SIM ' || l.slot else '' end)
      order by d.name, l.slot))[1:${MAX_NAMES}] as names,
    row_number() over (partition by is_full order by count(*) desc, u.id) as place,
    sum(count(*)) over (partition by is_full)::int8 as total
  from sms_lines_near_limits(${NEAR}) f join lines l on l.id = f.line join devices d on d.id = f.device
  join users u on u.id = f."user" group by is_full, u.id, u.email
) n where n.place <= ${MAX_NAMES} order by n.is_full desc, n.place`

/** Warnings for operators about full lines and lines near a limit: at most 10 accounts with 10 lines. */
export async function lineWarnings(store: Store): Promise<{ full?: string; near?: string }> {
  const found = await run(store.db, NAMED, {})
  const full = found.filter((one) => one.is_full)
  const near = found.filter((one) => !one.is_full)
  return {
    ...(full[0] && {
      full: `Lines that have reached a limit, so that texts may wait (${full[0].total}): ${accounts(full)}.`,
    }),
    ...(near[0] && { near: `Lines that have used 90 % of a limit (${near[0].total}): ${accounts(near)}.` }),
  }
}

function accounts(found: readonly Row<typeof NAMED>[]): string {
  const parts = found.map(({ owner, count, names }) => {
    const more = count - names.length
    return `${owner} (${names.join(', ')}${more > 0 ? ` and ${more} more` : ''})`
  })
  return parts.join('; ')
}
