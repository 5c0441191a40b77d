import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { queries } from '../../platform/db/queries.ts'

/** An amount of money. */
export const DECIMAL = z.string().regex(/^\d+(\.\d+)?$/)

/** The currency of an account's prices; '' if unset. */
export async function currencyOf({ db }: Pick<Store, 'db'>, user: string): Promise<string> {
  const settings = await queries(db)
    .selectFrom('user_settings')
    .select('currency')
    .where('user', '=', user)
    .executeTakeFirst()
  return settings?.currency ?? ''
}
