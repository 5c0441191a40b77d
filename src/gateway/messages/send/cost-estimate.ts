import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../../engine/collections/catalog.ts'
import { formatDate } from '../../../engine/fields/parse-date.ts'
import type { Config } from '../../../platform/config.ts'
import { queries } from '../../../platform/db/queries.ts'
import { DECIMAL, loadCurrency } from '../../base/currency.ts'
import { computeStickySince } from './store-offers.ts'

const ESTIMATE = z
  .object({
    currency: z.string().describe('`currency` of the `user_settings`; empty: unset.'),
    lines: z
      .array(
        z.object({
          line: z.string(),
          texts: z.int().min(1),
          segments: z.int().min(0).describe('0 for an MMS.'),
          cost: DECIMAL.describe('A decimal; 0 for a line without prices.'),
        }),
      )
      .describe('The lines that would send, the one with the most texts first.'),
    waiting: z
      .int()
      .min(0)
      .describe('Texts that no line takes now, so that their cost is unknown.'),
  })
  .meta({ id: 'CostEstimate' })

export const ESTIMATE_OR_NULL = ESTIMATE.nullable().describe(
  'What the texts would cost if they left now. Null if no line of the account has prices, and for an API key without `devices:list`.',
)

export type EstimateConfig = Pick<Config, 'deviceOnlineSeconds' | 'stickyDays'>

/**
 * The way that a request names for all its texts. `key`: the id of its API key, which may be limited to
 * lines.
 */
interface Named {
  readonly key?: string | undefined
  readonly device: string
  readonly line: { readonly id: string; readonly number: string }
  readonly sim: number
  readonly priority: number
}

interface Row {
  readonly line: string | null
  readonly messages: number
  readonly segments: number
  readonly cost: string
}

/** Chooses lines as a send does, without charging them. Null if no line of the account has prices. */
export async function estimateCost(
  store: Store,
  config: EstimateConfig,
  user: string,
  texts: readonly { readonly to: string; readonly segments: number }[],
  { key = '', device, line, sim, priority }: Named,
): Promise<z.output<typeof ESTIMATE> | null> {
  if (!(await hasPrices(store, user))) return null
  const now = new Date()
  const since = formatDate(new Date(now.getTime() - config.deviceOnlineSeconds * 1000))
  const given = JSON.stringify(texts.map(({ to, segments }, n) => ({ n, to, segments })))
  const estimate = sql<Row>`sms_estimate(${user}, ${since}, ${formatDate(now)}::timestamptz,
    ${computeStickySince(now, config.stickyDays)}, ${key}, ${device}, ${line.id}, ${line.number}, ${sim}::int,
    ${priority}::int, ${given}::json)`
  const rows = await queries(store.db).selectFrom(estimate.as('e')).selectAll().execute()
  const lines = rows.flatMap(({ line, messages, segments, cost }) =>
    line === null ? [] : [{ line, texts: messages, segments, cost }],
  )
  const waiting = rows.find((row) => row.line === null)?.messages ?? 0
  return { currency: await loadCurrency(store, user), lines, waiting }
}

async function hasPrices({ db }: Store, user: string): Promise<boolean> {
  const found = await queries(db)
    .selectFrom('lines')
    .select('id')
    .where('user', '=', user)
    .where(sql<boolean>`pb_is_set(prices)`)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
