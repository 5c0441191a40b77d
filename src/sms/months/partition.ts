import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { type Conversion, convert } from '../../db/partitions/convert.ts'
import { isPartitioned } from '../../db/partitions/state.ts'
import type { MonthlyTable } from '../../db/partitions/swap.ts'
import { UserError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import type { Progress } from '../../tools/progress.ts'

/** Totals are kept by the table's oid. */
const MOVE_TOTALS = 'update sms_totals set relation = $2::int8::oid where relation = $1::int8::oid'

/** The tables of messages that can have partitions by month. */
const TABLES: readonly MonthlyTable[] = [
  {
    name: 'sms_messages',
    moved: async (tx, before, after) => void (await tx.query(MOVE_TOTALS, [before, after])),
  },
  { name: 'sms_events' },
]
export const MONTHLY_TABLES: readonly string[] = TABLES.map(({ name }) => name)

/**
 * Gives the history of messages partitions by month, while servers run. Throws a UserError on the embedded
 * database.
 */
export async function partitionMessages(db: Db, progress: Progress): Promise<Conversion> {
  if (db.kind !== 'postgres')
    throw new UserError('Partitions need Postgres: set DATABASE_URL. The embedded database has none.')
  return convert(db, TABLES, progress)
}

/** Tables with fewer messages get partitions while a server starts, in well under a second. */
const SMALL = 20_000
const IS_LARGE = `select count(*) = ${SMALL} from (select from sms_messages limit ${SMALL}) t`

/**
 * What PARTITION=month asks of a server that starts: partitions at once where few messages are stored; a
 * larger history works on as it is, and the log names the command.
 */
export async function partitionAtStart(db: Db, { partition }: Pick<Config, 'partition'>, log: Logger) {
  if (partition !== 'month') return
  const states = await Promise.all(MONTHLY_TABLES.map((table) => isPartitioned(db, table)))
  if (states.every(Boolean)) return
  const { rows } = await db.query(IS_LARGE)
  if (rows[0]![0] === true)
    log.warn('PARTITION=month: the stored messages have no partitions yet. Run `pocketsms partition` once.')
  else await partitionMessages(db, () => {})
}
