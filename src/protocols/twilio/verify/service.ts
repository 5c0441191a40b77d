import { z } from 'zod'
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

const nothing = z.null()
/** A record of `verify_services` as Twilio's API has it. */
export const SERVICE = z
  .strictObject({
    ...{ sid: z.string(), account_sid: z.string(), friendly_name: z.string(), code_length: z.int() },
    ...{ lookup_enabled: z.boolean(), psd2_enabled: z.boolean(), skip_sms_to_landlines: z.boolean() },
    ...{ dtmf_input_required: z.boolean(), tts_name: nothing, do_not_share_warning_enabled: z.boolean() },
    ...{ custom_code_enabled: z.boolean(), push: nothing, totp: nothing, default_template_sid: nothing },
    ...{ whatsapp: nothing, passkeys: nothing, verify_event_subscription_enabled: z.boolean() },
    ...{ date_created: z.string(), date_updated: z.string(), url: z.string() },
    links: z.strictObject({ verifications: z.string(), verification_checks: z.string() }),
  })
  .meta({ id: 'TwilioVerifyService' })
const url = z.string().nullable()
export const SERVICES = z
  .strictObject({
    services: z.array(SERVICE),
    meta: z.strictObject({
      ...{ page: z.int(), page_size: z.int(), key: z.literal('services'), url: z.string() },
      ...{ first_page_url: z.string(), next_page_url: url, previous_page_url: url },
    }),
  })
  .meta({ id: 'TwilioVerifyServices' })

/** Options of Twilio that this server lacks: only `false` is accepted. */
const OFF = [
  ...['LookupEnabled', 'SkipSmsToLandlines', 'DtmfInputRequired', 'Psd2Enabled', 'CustomCodeEnabled'],
  ...['VerifyEventSubscriptionEnabled', 'DoNotShareWarningEnabled'],
]
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

function render(call: Call, { id, name, code_length, created, updated }: Row): z.output<typeof SERVICE> {
  const sid = sidOf('VA', id)
  const at = serviceUrl(call, sid)
  return {
    ...{ sid, account_sid: sidOf('AC', call.user), friendly_name: name, code_length },
    ...{
      lookup_enabled: false,
      psd2_enabled: false,
      skip_sms_to_landlines: false,
      dtmf_input_required: false,
    },
    ...{
      tts_name: null,
      do_not_share_warning_enabled: false,
      custom_code_enabled: false,
      push: null,
      totp: null,
    },
    ...{
      default_template_sid: null,
      whatsapp: null,
      passkeys: null,
      verify_event_subscription_enabled: false,
    },
    ...{ date_created: isoDate(created), date_updated: isoDate(updated), url: at },
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
export async function listServices(call: Call): Promise<z.output<typeof SERVICES>> {
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

/** The values of a form. Throws 60200. */
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
