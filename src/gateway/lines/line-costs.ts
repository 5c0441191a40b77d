import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { queries } from '../../platform/db/queries.ts'
import { DECIMAL, loadCurrency } from '../base/currency.ts'

const MONTHS = 12

/** Costs of the texts of lines with prices. A text counts in the month in which a line was chosen for it. */
export const LINE_COSTS = z
  .object({
    currency: z.string().describe('`currency` of the `user_settings`; empty: unset.'),
    items: z.array(
      z.object({
        month: z
          .string()
          .regex(/^\d{4}-\d\d$/)
          .describe("In the time zone of the account's `user_settings`, else in UTC."),
        line: z.string().describe('The id of the line, which may be deleted.'),
        texts: z.int().min(0).describe('Texts that were sent, or that wait at the device.'),
        cost: DECIMAL,
      }),
    ),
  })
  .meta({ id: 'LineCosts' })

/** The costs of an account's lines in the last 12 months, newest month first. */
export async function loadLineCosts(
  store: Store,
  user: string,
): Promise<z.output<typeof LINE_COSTS>> {
  const items = await queries(store.db)
    .selectFrom('line_costs as c')
    .select(['c.month', 'c.line', 'c.texts', sql<string>`c.cost::text`.as('cost')])
    .where('c.user', '=', user)
    .where(
      'c.month',
      '>',
      sql<string>`to_char(now() - ${sql.lit(MONTHS)} * interval '1 month', 'YYYY-MM')`,
    )
    .orderBy('c.month', 'desc')
    .orderBy('c.line')
    .execute()
  return { currency: await loadCurrency(store, user), items }
}
