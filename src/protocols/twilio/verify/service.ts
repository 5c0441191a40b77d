import { type Collection, type Store, SUPERUSERS } from '../../../collections/catalog.ts'
import { objectsOf } from '../../../db/statement.ts'
import { ApiError } from '../../../errors.ts'
import { dateOf } from '../../../fields/types/date.ts'
import { deleteRecords } from '../../../records/write/cascade.ts'
import { createRecord, updateRecord } from '../../../records/write/write.ts'
import { serverRequest } from '../../../request/request.ts'
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
export const serviceIn = async (call: Call, sid: string): Promise<string> => (await find(call, sid)).id

async function find({ store: { db }, user }: Call, sid: string): Promise<Row> {
  const found = await db.query(`${SELECT} and s.id = $2`, [user, idOf('VA', sid)], 'twilio verify service')
  return objectsOf<Row>(found)[0] ?? Promise.reject(notFound())
}

export const fetchService = async (call: Call) => render(call, await find(call, call.sid))

/** The caller's services in pages, newest first. */
export async function listServices(call: Call) {
  const { store, user, parameters, services } = call
  const path = `${services.config.publicUrl}/v2/Services`
  const request = readPage(parameters, 'VA')
  const table = ['verify_services', 's'] as const
  const { rows, page } = await readRows<Row>(store.db, path, table, SELECT, [user], request)
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
  const { extensions } = call.services
  const made = await write(call, (store, services, request) =>
    createRecord(store, extensions, services, request({ ...values, user: call.user })),
  )
  return render(call, JSON.parse(made))
}

export async function changeService(call: Call) {
  const id = await serviceIn(call, call.sid)
  const changed = await write(call, (store, services, request) =>
    updateRecord(store, call.services.extensions, services, id, request(valuesOf(call.parameters))),
  )
  return render(call, JSON.parse(changed))
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
async function write<T>(
  { store }: Call,
  work: (store: Store, services: Collection, request: Request) => Promise<T>,
): Promise<T> {
  const { catalog } = store
  const request: Request = (values) => serverRequest(catalog.find(SUPERUSERS)!, { ...values })
  try {
    return await store.db.transaction((db) =>
      work({ db, catalog }, catalog.find('verify_services')!, request),
    )
  } catch (error) {
    throw error instanceof ApiError && error.status === 400
      ? invalidParameter('FriendlyName', reasonOf(error))
      : error
  }
}
