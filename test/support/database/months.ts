import type { Store } from '../../../src/collections/catalog.ts'
import type { Db } from '../../../src/db/open.ts'
import { quoted } from '../../../src/db/partitions/make-like.ts'
import { makeMonths } from '../../../src/db/partitions/months.ts'
import {
  convertingCheckOf,
  type Month,
  monthAfter,
  pastOf,
  startOf,
} from '../../../src/db/partitions/names.ts'
import { partitionsOf, presentMonth } from '../../../src/db/partitions/state.ts'
import { MONTHLY_TABLES, partitionMessages } from '../../../src/sms/months/partition.ts'

/** The month so many months before the present one, by the database's clock. */
export const monthsAgo = async (db: Db, count: number): Promise<Month> =>
  monthAfter(await presentMonth(db), -count)

/** Gives a database without messages partitions for the last `count` months, as if it had run so long. */
export async function withMonths({ db }: Store, count: number): Promise<void> {
  await partitionMessages(db, () => {})
  const first = await monthsAgo(db, count)
  for (const { table, name, end } of await partitionsOf(db, ...MONTHLY_TABLES)) {
    if (end === undefined) continue
    const past = quoted(pastOf(table))
    await db.script(
      name === pastOf(table)
        ? `alter table ${table} detach partition ${past};
           alter table ${past} drop constraint if exists ${quoted(convertingCheckOf(table))};
           alter table ${table} attach partition ${past} for values from (minvalue) to ('${startOf(first)}')`
        : `drop table ${quoted(name)}`,
    )
  }
  await makeMonths(db, MONTHLY_TABLES)
}
