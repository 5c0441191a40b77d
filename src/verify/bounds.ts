import type { Store } from '../collections/catalog.ts'
import { run, runForRow, statement, text } from '../db/statements/statement.ts'
import { callingCodeOf } from '../portable/phone.ts'
import { changeLogCte } from '../records/changes.ts'
import { gatewayRefusal } from '../sms/send/shape.ts'
import type { Service } from './service.ts'

/** Destinations while no line has a number: all but satellites and networks without a country. */
const WITHOUT_LINES = '-870,-878,-881,-882,-883,-888,-979,-7840,-7940'

const BOUNDS = statement('verify bounds', { isAllowed: 'boolean', numbers: 'string[]' })`
select sms_is_destination(${text('destinations')}, ${text('to')}) as "isAllowed",
  array(select l.number from lines l where l."user" = ${text('user')} and l.number like '+%') as numbers`

/** Throws 403 for a number that a service may not send codes to. */
export async function requireDestination(store: Store, user: string, service: Service, to: string) {
  const country = callingCodeOf(to)
  const destinations = service.destinations || WITHOUT_LINES
  const { isAllowed, numbers } = (await runForRow(store.db, BOUNDS, { destinations, to, user }))!
  const isHome = numbers.some((number) => callingCodeOf(number) === country)
  const goesHome = service.destinations === '' && numbers.length > 0
  if (goesHome ? !isHome : !isAllowed) throw gatewayRefusal('destination_not_allowed')
  const isStopped = service.stopped.split(',').includes(country)
  if (isStopped || (await stopsNow(store, service, country))) throw gatewayRefusal('destination_stopped')
}

/** How many codes are judged: the last ones of a day. */
const JUDGED = 20

// A code that nobody entered for 3 minutes counts as not approved. A user's change of the service
// restarts the count. Of concurrent starts, one adds the mail (alarms/mail-jobs).
const STOP = statement('verify stop', { id: 'string' })`
with last as (
  select v.status from verify_services s join verifications v on v.service = s.id
  where s.id = ${text('service')} and v.country = ${text('country')} and v.status <> 'canceled'
    and v.created > greatest(pb_text(now() - interval '1 day'), s.updated)
    and (v.status <> 'pending' or v.created < pb_text(now() - interval '3 minutes'))
  order by v.created desc limit ${JUDGED}
), judged as (
  select count(*) as finished, count(*) filter (where status = 'approved') as approved from last
), low as materialized (
  select s.id, ${text('country')} = any (string_to_array(s.stopped, ',')) as was_stopped from verify_services s, judged j
  where s.id = ${text('service')} and j.finished >= ${JUDGED} and j.approved * 100 < s.approval_floor * j.finished
  for update of s
), written as (
  update verify_services s set stopped = concat_ws(',', nullif(s.stopped, ''), ${text('country')})
  from low where s.id = low.id and not low.was_stopped returning s.*
), mailed as (
  insert into _jobs (kind, holder, key, payload)
  select 'alarm_mail', w."user", gen_random_uuid(), json_build_array(json_build_object(
    'name', w.name, 'stoppedCountry', ${text('country')}, 'waiting', 0)) from written w
), ${changeLogCte('written', 'update', 'verify_services')}
select id from low`

/** Stops a country of which too few codes were approved, and has its owner mailed. */
const stopsNow = async ({ db }: Store, service: Service, country: string): Promise<boolean> =>
  service.approval_floor > 0 && (await run(db, STOP, { service: service.id, country })).length > 0
