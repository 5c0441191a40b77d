import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import { queries } from '../../platform/db/queries.ts'
import { parseJson } from '../../platform/tools/json.ts'
import type { CheckedValues } from './quiet-hours.ts'

const MAX_PRICES = 200
const PREFIX = /^\+[1-9]\d{0,14}$/
const DECIMAL = /^\d{1,6}(\.\d{1,6})?$/

/**
 * Decimals as texts, by prefix or `default`: programs read numbers of JSON as binary fractions. Throws 400.
 */
export function checkPrices({ prices, monthly_budget: budget }: CheckedValues): void {
  const given = parseJson(String(prices ?? null))
  if (!isPriceUnset(given) && !arePrices(given)) {
    const message = `Must be an object of at most ${MAX_PRICES} prices, such as {"default":"0.09","+49":"0.075"}.`
    throw invalidFields({ prices: makeFieldError('validation_invalid_prices', message) })
  }
  if (budget && isPriceUnset(given)) {
    const message = 'A budget needs prices.'
    throw invalidFields({ monthly_budget: makeFieldError('validation_invalid_budget', message) })
  }
}

/** Maximum lines of an account that have prices: each text is compared with the prices of all of them. */
const MAX_PRICED = 100

/** Throws 400 if a line gets prices, and as many lines of its account as may be have prices. */
export async function requireRoomForPrices(
  { db }: Store,
  values: CheckedValues,
  old: CheckedValues,
): Promise<void> {
  const [given, before] = [values, old].map(({ prices }) => parseJson(String(prices ?? null)))
  if (isPriceUnset(given) || !isPriceUnset(before)) return
  const { lines } = await queries(db)
    .selectFrom('lines')
    .select(({ fn }) => fn.countAll<number>().as('lines'))
    .where('user', '=', String(values.user))
    .where(sql<boolean>`pb_is_set(prices)`)
    .executeTakeFirstOrThrow()
  if (lines < MAX_PRICED) return
  const message = `At most ${MAX_PRICED} lines of an account can have prices.`
  throw invalidFields({ prices: makeFieldError('validation_too_many_prices', message) })
}

const isPriceUnset = (given: unknown) => given === null || given === ''

function arePrices(given: unknown): boolean {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  const all = Object.entries(given)
  const isPrice = ([prefix, price]: [string, unknown]) =>
    (prefix === 'default' || prefix === 'mms' || PREFIX.test(prefix)) &&
    typeof price === 'string' &&
    DECIMAL.test(price)
  return all.length > 0 && all.length <= MAX_PRICES && all.every(isPrice)
}
