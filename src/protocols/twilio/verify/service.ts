import { type Collection, type Store, SUPERUSERS } from '../../../collections/catalog.ts'
import { objectsOf } from '../../../db/rows.ts'
import { ApiError } from '../../../errors.ts'
import { dateOf } from '../../../fields/types/date.ts'
import { deleteRecords } from '../../../records/write/cascade.ts'
import { createRecord, updateRecord } from '../../../records/write/write.ts'
import { serverRequest } from '../../../request/request.ts'
import { randomId } from '../../../tools/random.ts'
import type { Call } from '../description.ts'
import { reasonOf } from '../numbers/change.ts'
import { readPage, readRows } from '../paging.ts'
import { idOf, notFound, type Parameters, sidOf, TwilioRefusal } from '../refusal.ts'

/** Options of Twilio that this server lacks: only `false` is accepted. */
const OFF = [
  ...['LookupEnabled', 'SkipSmsToLandlines', 'DtmfInputRequired', 'Psd2Enabled', 'CustomCodeEnabled'],
  ...['VerifyEventSubscriptionEnabled', 'DoNotShareWarningEnabled'],
]
/** Twilio's settings of services that this server lacks. */
const WITHOUT_VALUE = ['tts_name', 'push', 'totp', 'default_template_sid', 'whatsapp', 'passkeys']
const snakeCase = (name: string) => name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
export const SERVICE_PARAMETERS = ['FriendlyName', 'CodeLength', ...OFF]

/** Throws 60200, Twilio's error for a parameter of Verify. */
export function invalidParameter(name: string, why = ''): TwilioRefusal {
  return new TwilioRefusal(60200, `Invalid parameter: \`${name}\`${why && `. ${why}`}`)
}

interface Row {
  readonly id: string
  readonly name: string
  readonly code_length: number
  readonly created: string
  readonly updated: string
}
const SELECT = `select s.id, s.name, s.code_length, s.created, s.updated from verify_services s where s."user" = $1`

/** A stored date as ISO 8601 without milliseconds, which all libraries read. */
export const isoDate = (stored: string): string => `${dateOf(stored)!.toISOString().slice(0, 19)}Z`

/** The address of a service. */
export const serviceUrl = ({ services }: Call, sid: string) =>
  `${services.config.publicUrl}/v2/Services/${sid}`

function render(call: Call, { id, name, code_length, created, updated }: Row) {
  const sid = sidOf('VA', id)
  const at = serviceUrl(call, sid)
  return {
    sid,
    account_sid: sidOf('AC', call.user),
    friendly_name: name,
    code_length,
    ...Object.fromEntries(OFF.map((option) => [snakeCase(option), false])),
    ...Object.fromEntries(WITHOUT_VALUE.map((option) => [option, null])),
    date_created: isoDate(created),
    date_updated: isoDate(updated),
    url: at,
    links: { verifications: `${at}/Verifications`, verification_checks: `${at}/VerificationCheck` },
  }
}

/** The id of the caller's service in a SID. Throws 404. */
export async function serviceIn({ store, user }: Call, sid: string): Promise<string> {
  return (await find(store, user, idOf('VA', sid) ?? '')).id
}

async function find({ db }: Store, user: string, id: string): Promise<Row> {
  const [found] = objectsOf<Row>(
    await db.query(`${SELECT} and s.id = $2`, [user, id], 'twilio verify service'),
  )
  if (!found) throw notFound()
  return found
}

export const fetchService = async (call: Call) =>
  render(call, await find(call.store, call.user, await serviceIn(call, call.sid)))

/** The caller's services in pages, newest first. */
export async function listServices(call: Call) {
  const { store, user, parameters, services } = call
  const path = `${services.config.publicUrl}/v2/Services`
  const request = readPage(parameters, 'VA')
  const { rows, page } = await readRows<Row>(
    store.db,
    path,
    ['verify_services', 's'],
    SELECT,
    [user],
    request,
  )
  const { page_size, uri, first_page_uri, next_page_uri, previous_page_uri } = page
  return {
    services: rows.map((row) => render(call, row)),
    meta: {
      ...{ page: page.page, page_size, key: 'services', url: uri, first_page_url: first_page_uri },
      ...{ next_page_url: next_page_uri, previous_page_url: previous_page_uri },
    },
  }
}

export async function createService(call: Call) {
  const values = valuesOf(call.parameters)
  if (values.name === undefined) throw invalidParameter('FriendlyName')
  const id = randomId()
  await write(call, (store, services, request) =>
    createRecord(store, call.services.extensions, services, request({ ...values, id, user: call.user })),
  )
  return render(call, await find(call.store, call.user, id))
}

export async function changeService(call: Call) {
  const id = await serviceIn(call, call.sid)
  await write(call, (store, services, request) =>
    updateRecord(store, call.services.extensions, services, id, request(valuesOf(call.parameters))),
  )
  return render(call, await find(call.store, call.user, id))
}

export async function deleteService(call: Call): Promise<void> {
  const id = await serviceIn(call, call.sid)
  await write(call, (store, services) => deleteRecords(store, call.services.extensions, services, [id]))
}

function valuesOf(parameters: Parameters) {
  const [name, length] = [parameters.get('FriendlyName'), parameters.get('CodeLength')]
  for (const option of OFF)
    if (!['', 'false'].includes(parameters.get(option)?.toLowerCase() ?? ''))
      throw invalidParameter(option, 'It is not supported here')
  if (length && !/^(?:[4-9]|10)$/.test(length))
    throw invalidParameter('CodeLength', 'It must be from 4 to 10')
  return { ...(name && { name }), ...(length && { code_length: Number(length) }) } as {
    readonly name?: string
    readonly code_length?: number
  }
}

type Request = (values: object) => ReturnType<typeof serverRequest>

/** Writes services in a transaction, with a superuser's rights. Throws 60200 for a refused value. */
async function write(
  { store }: Call,
  work: (store: Store, services: Collection, request: Request) => Promise<unknown>,
): Promise<void> {
  const { catalog } = store
  const request: Request = (values) => serverRequest(catalog.find(SUPERUSERS)!, { ...values })
  try {
    await store.db.transaction((db) => work({ db, catalog }, catalog.find('verify_services')!, request))
  } catch (error) {
    throw error instanceof ApiError && error.status === 400
      ? invalidParameter('FriendlyName', reasonOf(error))
      : error
  }
}
