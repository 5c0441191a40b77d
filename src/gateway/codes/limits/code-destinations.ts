import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { callFunction } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import { readCallingCode } from '../../../portable/phone/calling-code.ts'
import { isPremiumNumber } from '../../../portable/phone/numbering-plans.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { AskedBy } from './count-codes.ts'

/** Calling codes of satellite phones and of networks without a country. ITU-T E.164 list */
const SATELLITES: ReadonlySet<string> = new Set([
  '+870',
  '+878',
  '+881',
  '+882',
  '+883',
  '+888',
  '+979',
  '+7840',
  '+7940',
])

/** Bounds of an account's codes. `outside`: those of `phones` that its own list of prefixes leaves out. */
const loadDestinationLimits = (db: Db, user: string, phones: readonly string[]) =>
  queries(db)
    .selectFrom(sql<object>`(select)`.as('one'))
    .leftJoin('user_settings as s', (join) => join.on('s.user', '=', user))
    .select([
      sql<string>`coalesce(s.code_destinations, '')`.as('destinations'),
      sql<string>`coalesce(s.code_stopped, '')`.as('stopped'),
      sql<number>`coalesce(s.code_approval_floor, 0)`.as('floor'),
      sql<string[]>`array(select n.number from unnest(${phones}::text[]) n(number)
        where not sms_is_destination(coalesce(s.code_destinations, ''), n.number))`.as('outside'),
      sql<
        string[]
      >`array(select l.number from lines l where l."user" = ${user} and l.number like '+%')`.as(
        'lines',
      ),
    ])
    .executeTakeFirstOrThrow()
type Bounds = Awaited<ReturnType<typeof loadDestinationLimits>>

/**
 * Throws 403 for a phone number to which an account sends no codes. Call it outside of a transaction that the
 * refusal rolls back: it may stop codes to a country. Codes of pages stop apart, and only for a day.
 */
export async function requireDestinations(
  store: Store,
  user: string,
  phones: readonly string[],
  asker: AskedBy = 'code',
): Promise<void> {
  const bounds = await loadDestinationLimits(store.db, user, phones)
  if (!phones.every((phone) => isDestinationAllowed(bounds, phone)))
    throw gatewayRefusal('destination_not_allowed')
  const stopped = bounds.stopped.split(',')
  for (const country of new Set(phones.map(readCallingCode))) {
    const isStopped = stopped.includes(country)
    if (isStopped || (bounds.floor > 0 && (await stopCountryIfAbused(store, user, country, asker))))
      throw gatewayRefusal('destination_stopped')
  }
}

function isDestinationAllowed({ destinations, outside, lines }: Bounds, phone: string): boolean {
  if (isPremiumNumber(phone)) return false
  const country = readCallingCode(phone)
  if (destinations === '' && lines.length > 0)
    return lines.some((line) => readCallingCode(line) === country)
  return (
    !outside.includes(phone) &&
    (!SATELLITES.has(country) || isDestinationListed(destinations, country, phone))
  )
}

/** Whether the owner lists a prefix of the number that is at least its calling code. */
const isDestinationListed = (destinations: string, country: string, phone: string) =>
  destinations
    .split(',')
    .map((prefix) => (prefix.startsWith('-') ? '-' : `+${prefix.replace('+', '')}`))
    .some((prefix) => prefix.startsWith(country) && phone.startsWith(prefix))

/** Stops codes to a country if too few were approved, and queues a mail. True if they are stopped. */
async function stopCountryIfAbused(
  { db }: Store,
  user: string,
  country: string,
  asker: AskedBy,
): Promise<boolean> {
  return asker === 'page'
    ? callFunction(db, 'codes_few_right', user, country, true)
    : callFunction(db, 'codes_stop', user, country)
}
