import { sql } from 'kysely'
import { completeAddresses } from '../../engine/auth/allowed-addresses.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { readPrefix } from '../../portable/phone/number-patterns.ts'
import { checkCountry } from '../base/check-country.ts'
import { completeList, completeOwnNumber } from '../base/complete-numbers.ts'
import { completeSimCards } from '../base/complete-sim-numbers.ts'
import type { CheckedValues } from './check-zones-and-hours.ts'

const MAX_PRICES = 200
const PREFIX = /^\+[1-9]\d{0,14}$/
const DECIMAL = /^\d{1,6}(\.\d{1,6})?$/

/**
 * Decimals as texts, by prefix or `default`: programs read numbers of JSON as binary fractions. Throws 400.
 */
function checkPrices({ prices, monthly_budget: budget }: CheckedValues): void {
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
async function requireRoomForPrices(
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

/** Gives a device's new number to its line, if the device has only one line. */
const renumberLines = (db: Db, device: string, old: string, number: string) =>
  queries(db)
    .with('changed', (query) =>
      query
        .updateTable('lines as l')
        .set({ number, updated: NOW })
        .where('l.device', '=', device)
        .where('l.number', '=', old)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('lines as o')
                .where('o.device', '=', device)
                .whereRef('o.id', '<>', 'l.id'),
            ),
          ),
        )
        .returning('l.id'),
    )
    .selectFrom('changed')
    .select(sql`sms_lines_changed('update', array_agg(id))`.as('noted'))
    .having(({ fn }) => fn.countAll<number>(), '>', 0)
    .execute()

/** Stores the numbers of SIMs in E.164: the function sms_sim_list takes no others. */
function completeReport(values: Record<string, Value>): void {
  const sims: unknown = JSON.parse(String(values.sims ?? 'null'))
  if (Array.isArray(sims)) values.sims = JSON.stringify(completeSimCards(sims))
}

/** Rules of devices. Clients cannot set `last_seen`; only superusers may change `platform`. */
export const devicesExtension: Extension = {
  grantsAccess: true,
  setByServer: ['last_seen'],
  async beforeCreate(store, values) {
    await completeOwnNumber(store, values, 'phone')
    completeReport(values)
    completeAddresses(values)
    values.last_seen = ''
  },
  async beforeUpdate(store, values, old, { auth }) {
    const { db } = store
    await completeOwnNumber(store, values, 'phone', old)
    if (values.sims !== old.sims) completeReport(values)
    completeAddresses(values)
    values.last_seen = old.last_seen!
    if (!auth?.isSuperuser) values.platform = old.platform!
    if (values.phone !== old.phone)
      await renumberLines(db, String(old.id), String(old.phone), String(values.phone))
  },
}

export const linesExtension: Extension = {
  keepsReferences: true,
  check(values) {
    checkPrices(values)
    checkCountry(values)
  },
  async beforeCreate(store, values) {
    checkCountry(values)
    await completeOwnNumber(store, values, 'number')
    await completeList(store, values, 'prefixes', readPrefix)
    checkPrices(values)
  },
  async beforeUpdate(store, values, old) {
    checkCountry(values, old)
    await completeOwnNumber(store, values, 'number', old)
    await completeList(store, values, 'prefixes', readPrefix, old)
    checkPrices(values)
    await requireRoomForPrices(store, values, old)
  },
}
