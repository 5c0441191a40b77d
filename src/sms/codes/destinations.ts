import type { Store } from '../../collections/catalog.ts'
import { list, type Row, run, runForRow, statement, text } from '../../db/statement.ts'
import { callingCodeOf } from '../../portable/phone/e164.ts'
import { isPremium } from '../../portable/phone/numbering-plans.ts'
import { changeLogCte } from '../../records/record-sql.ts'
import { gatewayRefusal } from '../send/shape.ts'

/** Calling codes of satellite phones and of networks without a country. ITU-T E.164 list */
const SATELLITES: ReadonlySet<string> = new Set([
  ...['+870', '+878', '+881', '+882', '+883', '+888', '+979', '+7840', '+7940'],
])

const BOUNDS = statement('code destinations', {
  ...{ destinations: 'string', stopped: 'string', floor: 'number' },
  ...{ outside: 'string[]', lines: 'string[]' },
})`
select coalesce(s.code_destinations, '') as destinations, coalesce(s.code_stopped, '') as stopped,
  coalesce(s.code_approval_floor, 0) as floor,
  array(select n.number from unnest(${list('phones')}::text[]) n(number)
    where not sms_is_destination(coalesce(s.code_destinations, ''), n.number)) as outside,
  array(select l.number from lines l where l."user" = ${text('user')} and l.number like '+%') as lines
from (select) one left join user_settings s on s."user" = ${text('user')}`

/**
 * Throws 403 for a phone number to which an account sends no codes. Call it outside of a transaction that the
 * refusal rolls back: it may stop codes to a country.
 */
export async function requireDestinations(
  store: Store,
  user: string,
  phones: readonly string[],
): Promise<void> {
  const bounds = (await runForRow(store.db, BOUNDS, { user, phones }))!
  if (!phones.every((phone) => isAllowed(bounds, phone))) throw gatewayRefusal('destination_not_allowed')
  const stopped = bounds.stopped.split(',')
  for (const country of new Set(phones.map(callingCodeOf))) {
    const isStopped = stopped.includes(country)
    if (isStopped || (bounds.floor > 0 && (await stopsNow(store, user, country))))
      throw gatewayRefusal('destination_stopped')
  }
}

function isAllowed({ destinations, outside, lines }: Row<typeof BOUNDS>, phone: string): boolean {
  if (isPremium(phone)) return false
  const country = callingCodeOf(phone)
  if (destinations === '' && lines.length > 0) return lines.some((line) => callingCodeOf(line) === country)
  return !outside.includes(phone) && (!SATELLITES.has(country) || isNamed(destinations, country, phone))
}

/** Whether the owner lists a prefix of the number that is at least its calling code. */
const isNamed = (destinations: string, country: string, phone: string) =>
  destinations
    .split(',')
    .map((prefix) => (prefix.startsWith('-') ? '-' : `+${prefix.replace('+', '')}`))
    .some((prefix) => prefix.startsWith(country) && phone.startsWith(prefix))

/** The share of approved codes is computed from this many codes, the last ones of the past day. */
const JUDGED = 20

// Stops codes to a country if too few of the last ones were approved. Counts a pending code as not approved
// after 3 minutes, and a canceled one too, unless its text was canceled in time. A code that was approved
// by Twilio's `Status=approved` counts as not approved: a thief with the API key could approve all codes.
// Begins again when the owner takes a country out of `code_stopped`. Concurrent requests queue one mail,
// which alarms/alarms.ts sends.
const STOP = statement('code stop', { user: 'string' })`
with last as (
  select v.status = 'approved' and v.attempts > 0 as is_right from user_settings s join verifications v on v."user" = s."user"
  where s."user" = ${text('user')} and v.country = ${text('country')}
    and v.created > greatest(pb_text(now() - interval '1 day'), s.code_counted_from)
    and (v.status <> 'pending' or v.created < pb_text(now() - interval '3 minutes'))
    and not (v.status = 'canceled' and exists (
      select from sms_messages m where m.id = v.message and m.status = 'failed'))
  order by v.created desc limit ${JUDGED}
), judged as (
  select count(*) as finished, count(*) filter (where is_right) as approved from last
), low as materialized (
  select s.id, s."user", ${text('country')} = any (string_to_array(s.code_stopped, ',')) as was_stopped
  from user_settings s, judged j
  where s."user" = ${text('user')} and j.finished >= ${JUDGED} and j.approved * 100 < s.code_approval_floor * j.finished
  for update of s
), written as (
  update user_settings s set code_stopped = concat_ws(',', nullif(s.code_stopped, ''), ${text('country')})
  from low where s.id = low.id and not low.was_stopped returning s.*
), mailed as (
  insert into _jobs (kind, holder, key, payload)
  select 'alarm_mail', w."user", gen_random_uuid(), json_build_array(json_build_object(
    'name', 'Your account', 'stoppedCountry', ${text('country')}, 'waiting', 0)) from written w
), ${changeLogCte('written', 'update', 'user_settings')}
select "user" from low`

/** Stops codes to a country if too few were approved, and queues a mail. True if they are stopped. */
const stopsNow = async ({ db }: Store, user: string, country: string): Promise<boolean> =>
  (await run(db, STOP, { user, country })).length > 0
