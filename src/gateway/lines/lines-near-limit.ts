import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'

/** A line is near a limit once it has used this share of it. */
const NEAR = 0.9
const MAX_NAMES = 10

const nearLimits = sql<{
  is_full: boolean
  line: string
  device: string
  user: string
}>`sms_lines_near_limits(${sql.lit(NEAR)})`

/** Counts enabled lines: free, near a limit, at a limit (`full`). Throws DatabaseUnavailable. */
export async function countLinesByLimit({ db }: Store) {
  const { near, full, all } = await queries(db)
    .selectFrom(nearLimits.as('n'))
    .select(({ fn, selectFrom }) => [
      fn.countAll<number>().filterWhere('n.is_full', '=', false).as('near'),
      fn.countAll<number>().filterWhere('n.is_full', '=', true).as('full'),
      selectFrom('lines as l')
        .innerJoin('devices as d', 'd.id', 'l.device')
        .select(({ fn }) => fn.countAll<number>().as('lines'))
        .where('l.enabled', '=', true)
        .where('l.present', '=', true)
        .where('d.enabled', '=', true)
        .$asScalar()
        .$notNull()
        .as('all'),
    ])
    .executeTakeFirstOrThrow()
  return { free: Math.max(0, all - near - full), near, full }
}

/**
 * Names and counts of full lines and of lines near a limit, by account: MAX_NAMES accounts and lines of
 * each.
 */
const listNearLines = (db: Db) =>
  queries(db)
    .selectFrom(({ selectFrom }) =>
      selectFrom(nearLimits.as('f'))
        .innerJoin('lines as l', 'l.id', 'f.line')
        .innerJoin('devices as d', 'd.id', 'f.device')
        .innerJoin('users as u', 'u.id', 'f.user')
        .select(({ fn }) => [
          'f.is_full',
          sql<string>`coalesce(nullif(u.email, ''), u.id)`.as('owner'),
          fn.countAll<number>().as('count'),
          sql<string[]>`(array_agg(coalesce(nullif(l.label, ''),
            d.name || case when l.slot > 0 then ' SIM ' || l.slot else '' end)
            order by d.name, l.slot))[1:${sql.lit(MAX_NAMES)}]`.as('names'),
          sql<number>`row_number() over (partition by is_full order by count(*) desc, u.id)`.as(
            'place',
          ),
          sql<number>`sum(count(*)) over (partition by is_full)::int8`.as('total'),
        ])
        .groupBy(['f.is_full', 'u.id', 'u.email'])
        .as('n'),
    )
    .selectAll()
    .where('n.place', '<=', MAX_NAMES)
    .orderBy('n.is_full', 'desc')
    .orderBy('n.place')
    .execute()

/** Warnings about lines that have reached or nearly reached a limit: at most 10 accounts, 10 lines each. */
export async function listLineWarnings(store: Store): Promise<{ full?: string; near?: string }> {
  const found = await listNearLines(store.db)
  const full = found.filter((one) => one.is_full)
  const near = found.filter((one) => !one.is_full)
  return {
    ...(full[0] && {
      full: `Lines that have reached a limit, so that texts may wait (${full[0].total}): ${describeAccounts(full)}.`,
    }),
    ...(near[0] && {
      near: `Lines that have used 90 % of a limit (${near[0].total}): ${describeAccounts(near)}.`,
    }),
  }
}

function describeAccounts(found: Awaited<ReturnType<typeof listNearLines>>) {
  const parts = found.map(({ owner, count, names }) => {
    const more = count - names.length
    return `${owner} (${names.join(', ')}${more > 0 ? ` and ${more} more` : ''})`
  })
  return parts.join('; ')
}
