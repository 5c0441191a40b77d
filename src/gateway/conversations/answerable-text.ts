import { sql } from 'kysely'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { isStoppedSql } from '../consent/stopped.ts'

/**
 * Reads a text if it may be answered: no answer yet, user enabled. `simulatedLine`: the line that received
 * it, if it belongs to a simulated phone. `sent`: automatic answers that the sender got in the last 24 hours.
 */
export const readText = (db: Db, user: string, id: string) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .select(({ selectFrom, fn }) => [
      ...(['m.id', 'm.user', 'm.from', 'm.body'] as const),
      selectFrom('devices as d')
        .select('m.line')
        .whereRef('d.id', '=', 'm.device')
        .where('d.platform', '=', 'simulator')
        .as('simulatedLine'),
      selectFrom('auto_answers_sent as s')
        .select(fn.countAll<number>().as('sent'))
        .whereRef('s.user', '=', 'm.user')
        .whereRef('s.number', '=', 'm.from')
        .where('s.at', '>', sql<Date>`now() - interval '24 hours'`)
        .$asScalar()
        .$notNull()
        .as('sent'),
      isStoppedSql(user, sql.ref('m.from')).as('isOptedOut'),
    ])
    .where('m.id', '=', id)
    .where('m.user', '=', user)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('auto_answers_sent as s').whereRef('s.message', '=', 'm.id'))),
    )
    .where(({ not }) => not(isDisabled('m.user')))
    .executeTakeFirst()

/** A received text that may be answered. */
export type Answerable = NonNullable<Awaited<ReturnType<typeof readText>>>
