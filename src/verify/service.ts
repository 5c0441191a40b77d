import type { Store } from '../collections/catalog.ts'
import { type Row, run, statement, text } from '../db/statement.ts'
import { changeLogCte } from '../records/record-sql.ts'
import { gatewayRefusal } from '../sms/send/shape.ts'

export const DEFAULTS = {
  code_length: 6,
  ttl: 600,
  max_per_hour: 5,
  max_per_day: 10,
  max_per_network: 20,
  max_per_sender: 5_000,
} as const

const FIND = statement('verify service', {
  ...{ id: 'string', name: 'string' },
  /** JSON: texts by their language. */
  templates: 'string',
  ...{ default_locale: 'string', code_length: 'number' },
  /** Seconds. */
  ttl: 'number',
  ...{ domain: 'string', app_hash: 'string', destinations: 'string' },
  /** Percent; 0 for none. */
  approval_floor: 'number',
  stopped: 'string',
  ...{ max_per_hour: 'number', max_per_day: 'number', max_per_network: 'number', max_per_sender: 'number' },
  /** Percent of the account's quota; 0 for all. */
  quota_share: 'number',
})`
select id, name, coalesce(templates::text, '{}') as templates, default_locale, code_length, ttl, domain, app_hash,
  destinations, approval_floor, stopped, max_per_hour, max_per_day, max_per_network, max_per_sender, quota_share
from verify_services where "user" = ${text('user')} and (id = ${text('id')} or ${text('id')} = '')
order by created, id limit 1`

export type Service = Row<typeof FIND>

const MAKE = statement('verify default service', {})`
with written as (
  insert into verify_services (id, "user", name, code_length, ttl, max_per_hour, max_per_day, max_per_network,
    max_per_sender, created, updated)
  values (pb_new_id(), ${text('user')}, 'default', ${DEFAULTS.code_length}, ${DEFAULTS.ttl},
    ${DEFAULTS.max_per_hour}, ${DEFAULTS.max_per_day}, ${DEFAULTS.max_per_network}, ${DEFAULTS.max_per_sender},
    pb_text(now()), pb_text(now()))
  on conflict ("user", name) do nothing returning id
), ${changeLogCte('written', 'create', 'verify_services')} select from written`

/** A user's service by its id; '': the oldest, which is made if there is none. Throws 404. */
export async function findService({ db }: Store, user: string, id: string): Promise<Service> {
  const [service] = await run(db, FIND, { user, id })
  if (service) return service
  if (id !== '') throw gatewayRefusal('service_not_found')
  await run(db, MAKE, { user })
  return (await run(db, FIND, { user, id }))[0]!
}
