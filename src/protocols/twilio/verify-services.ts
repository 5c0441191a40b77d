import { grantsScope, type TokenScope } from '../../engine/request/scopes.ts'
import { deleteAuditedRecords } from '../../gateway/messages/audited-records.ts'
import { type TableRow, toObjects } from '../../platform/db/execute-statement.ts'
import { formatIsoDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import { readPageRequest, readRows } from './list-pages.ts'
import type { Parameters } from './parameters.ts'
import { saveRecord } from './save-record.ts'
import { makeSid, parseSid } from './sids.ts'
import { makeNotFoundError, makeParameterError, TwilioRefusal } from './twilio-errors.ts'

/** Options of Twilio that this server lacks: only `false` is accepted. */
const OFF = [
  'LookupEnabled',
  'SkipSmsToLandlines',
  'DtmfInputRequired',
  'Psd2Enabled',
  'CustomCodeEnabled',
  'VerifyEventSubscriptionEnabled',
  'DoNotShareWarningEnabled',
]
/** Keys of a Verify service for features that this server lacks: their value is null. */
const WITHOUT_VALUE = ['tts_name', 'push', 'totp', 'default_template_sid', 'whatsapp', 'passkeys']
const toSnakeCase = (name: string) => name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
export const SERVICE_PARAMETERS = ['FriendlyName', 'CodeLength', ...OFF]

type Row = Pick<
  TableRow<'verify_services'>,
  'id' | 'name' | 'code_length' | 'created' | 'updated' | 'api_key'
>
const SELECT = `select s.id, s.name, s.code_length, s.created, s.updated, s.api_key from verify_services s where s."user" = $1`

export const makeServiceUrl = ({ services }: Call, sid: string) =>
  `${services.config.publicUrl}/v2/Services/${sid}`

function renderService(call: Call, { id, name, code_length, created, updated }: Row) {
  const sid = makeSid('VA', id)
  const at = makeServiceUrl(call, sid)
  return {
    sid,
    account_sid: makeSid('AC', call.user),
    friendly_name: name,
    code_length,
    ...Object.fromEntries(OFF.map((option) => [toSnakeCase(option), false])),
    ...Object.fromEntries(WITHOUT_VALUE.map((option) => [option, null])),
    date_created: formatIsoDate(created),
    date_updated: formatIsoDate(updated),
    url: at,
    links: { verifications: `${at}/Verifications`, verification_checks: `${at}/VerificationCheck` },
  }
}

/** The id of the caller's Verify service with this SID. Throws 404. */
export const findServiceId = async (call: Call, sid: string): Promise<string> =>
  (await findServiceRow(call, sid)).id

async function findServiceRow({ store: { db }, user }: Call, sid: string): Promise<Row> {
  const found = await db.query(
    `${SELECT} and s.id = $2`,
    [user, parseSid('VA', sid)],
    'twilio verify service',
  )
  return toObjects<Row>(found)[0] ?? Promise.reject(makeNotFoundError())
}

export const fetchService = async (call: Call) =>
  renderService(call, await findServiceRow(call, call.sid))

/** The caller's Verify services in pages, newest first. */
export async function listServices(call: Call) {
  const { store, user, parameters, services } = call
  const path = `${services.config.publicUrl}/v2/Services`
  const request = readPageRequest(parameters, 'VA')
  const table = ['verify_services', 's'] as const
  const { rows, page } = await readRows<Row>(store.db, path, table, SELECT, [user], request)
  const { page_size, uri, first_page_uri, next_page_uri, previous_page_uri } = page
  return {
    services: rows.map((row) => renderService(call, row)),
    meta: {
      page: page.page,
      page_size,
      key: 'services',
      url: uri,
      first_page_url: first_page_uri,
      next_page_url: next_page_uri,
      previous_page_url: previous_page_uri,
    },
  }
}

export async function createService(call: Call) {
  const values = readServiceValues(call.parameters)
  if (values.name === undefined) throw makeParameterError('FriendlyName')
  return saveService(call, undefined, { ...values, user: call.user, api_key: call.sentBy })
}

export const changeService = async (call: Call) =>
  saveService(call, await requireOwnService(call), { ...readServiceValues(call.parameters) })

const MANAGES: TokenScope = 'settings:write'

/** The id of the service in the path. Throws 404, and 403 unless the key made it or may change settings. */
async function requireOwnService(call: Call): Promise<string> {
  const { id, api_key } = await findServiceRow(call, call.sid)
  if (api_key === call.sentBy || grantsScope(call.scopes ?? [], MANAGES)) return id
  const why = `This service was not made by this API key, which lacks the scope ${MANAGES} (all:any)`
  throw new TwilioRefusal(20003, why, 403)
}

async function saveService(call: Call, id: string | undefined, values: Record<string, unknown>) {
  const refusal = (why: string) => makeParameterError('FriendlyName', why)
  return renderService(
    call,
    JSON.parse(await saveRecord(call, 'verify_services', id, values, refusal)),
  )
}

export async function deleteService(call: Call): Promise<void> {
  await deleteAuditedRecords(call, 'verify_services', [await requireOwnService(call)])
}

function readServiceValues(parameters: Parameters) {
  const [name, length] = [parameters.get('FriendlyName'), parameters.get('CodeLength')]
  for (const option of OFF)
    if (!['', 'false'].includes(parameters.get(option)?.toLowerCase() ?? ''))
      throw makeParameterError(option, 'It is not supported here')
  if (length && !/^(?:[4-9]|10)$/.test(length))
    throw makeParameterError('CodeLength', 'It must be from 4 to 10')
  return { ...(name && { name }), ...(length && { code_length: Number(length) }) } as {
    readonly name?: string
    readonly code_length?: number
  }
}
