import { isIP } from 'node:net'
import { objectsOf } from '../../db/statement.ts'
import { dateOf } from '../../fields/date.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { deleteRecords } from '../../records/cascade.ts'
import { hasScope, type Scope } from '../../request/scopes.ts'
import { readNumber } from '../../sms/send/read-numbers.ts'
import { isRefusal } from '../../sms/send/refusals.ts'
import { startVerification } from '../../verify/start.ts'
import type { Verification } from '../../verify/verification.ts'
import { checkVerification, endVerification, findVerification, type Named } from '../../verify/verify.ts'
import { type Call, type Route, route } from './account.ts'
import { saveRecord } from './numbers.ts'
import {
  idOf,
  notFound,
  PAGE_PARAMETERS,
  type Parameters,
  readPage,
  readRows,
  sidOf,
  TwilioRefusal,
} from './wire.ts'

/** Options of Twilio that this server lacks: only `false` is accepted. */
const OFF = [
  ...['LookupEnabled', 'SkipSmsToLandlines', 'DtmfInputRequired', 'Psd2Enabled', 'CustomCodeEnabled'],
  ...['VerifyEventSubscriptionEnabled', 'DoNotShareWarningEnabled'],
]
/** Keys of a Verify service for features that this server lacks: their value is null. */
const WITHOUT_VALUE = ['tts_name', 'push', 'totp', 'default_template_sid', 'whatsapp', 'passkeys']
const snakeCase = (name: string) => name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase()
const SERVICE_PARAMETERS = ['FriendlyName', 'CodeLength', ...OFF]

/** Twilio's error 60200, for a wrong parameter of Verify. */
function invalidParameter(name: string, why = ''): TwilioRefusal {
  return new TwilioRefusal(60200, `Invalid parameter: \`${name}\`${why && `. ${why}`}`)
}

interface Row {
  readonly id: string
  readonly name: string
  readonly code_length: number
  readonly created: string
  readonly updated: string
  readonly api_key: string
}
const SELECT = `select s.id, s.name, s.code_length, s.created, s.updated, s.api_key from verify_services s where s."user" = $1`

/** A stored date as ISO 8601 without milliseconds, which all libraries read. */
const isoDate = (stored: string): string => `${dateOf(stored)!.toISOString().slice(0, 19)}Z`

const serviceUrl = ({ services }: Call, sid: string) => `${services.config.publicUrl}/v2/Services/${sid}`

function renderService(call: Call, { id, name, code_length, created, updated }: Row) {
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

/** The id of the caller's Verify service with this SID. Throws 404. */
const serviceIn = async (call: Call, sid: string): Promise<string> => (await find(call, sid)).id

async function find({ store: { db }, user }: Call, sid: string): Promise<Row> {
  const found = await db.query(`${SELECT} and s.id = $2`, [user, idOf('VA', sid)], 'twilio verify service')
  return objectsOf<Row>(found)[0] ?? Promise.reject(notFound())
}

const fetchService = async (call: Call) => renderService(call, await find(call, call.sid))

/** The caller's Verify services in pages, newest first. */
async function listServices(call: Call) {
  const { store, user, parameters, services } = call
  const path = `${services.config.publicUrl}/v2/Services`
  const request = readPage(parameters, 'VA')
  const table = ['verify_services', 's'] as const
  const { rows, page } = await readRows<Row>(store.db, path, table, SELECT, [user], request)
  const { page_size, uri, first_page_uri, next_page_uri, previous_page_uri } = page
  return {
    services: rows.map((row) => renderService(call, row)),
    meta: {
      ...{ page: page.page, page_size, key: 'services', url: uri, first_page_url: first_page_uri },
      ...{ next_page_url: next_page_uri, previous_page_url: previous_page_uri },
    },
  }
}

async function createService(call: Call) {
  const values = valuesOf(call.parameters)
  if (values.name === undefined) throw invalidParameter('FriendlyName')
  return saveService(call, undefined, { ...values, user: call.user, api_key: call.sentBy })
}

const changeService = async (call: Call) =>
  saveService(call, await ownService(call), { ...valuesOf(call.parameters) })

const MANAGES: Scope = 'settings:write'

/** The id of the service in the path. Throws 404, and 403 unless the key made it or may change settings. */
async function ownService(call: Call): Promise<string> {
  const { id, api_key } = await find(call, call.sid)
  if (api_key === call.sentBy || hasScope(call.scopes ?? [], MANAGES)) return id
  const why = `This service was not made by this API key, which lacks the scope ${MANAGES} (all:any)`
  throw new TwilioRefusal(20003, why, 403)
}

async function saveService(call: Call, id: string | undefined, values: Record<string, unknown>) {
  const refusal = (why: string) => invalidParameter('FriendlyName', why)
  return renderService(call, JSON.parse(await saveRecord(call, 'verify_services', id, values, refusal)))
}

async function deleteService(call: Call): Promise<void> {
  const { store, services } = call
  const id = await ownService(call)
  const { catalog } = store
  await store.db.transaction((db) =>
    deleteRecords({ db, catalog }, services.extensions, catalog.find('verify_services')!, [id]),
  )
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

/** Parameters of a new verification. `RiskCheck` and `Tags` have no effect. */
const START_PARAMETERS = ['To', 'Channel', 'Locale', 'AppHash', 'DeviceIp', 'RiskCheck', 'Tags']

function common({ user }: Call, { id, to, service, channel, status, created, updated }: Verification) {
  const [sid, service_sid, account_sid] = [sidOf('VE', id), sidOf('VA', service), sidOf('AC', user)]
  return {
    ...{ sid, service_sid, account_sid, to, channel },
    ...{ status, valid: status === 'approved', amount: null, payee: null },
    ...{ date_created: isoDate(created), date_updated: isoDate(updated) },
  }
}

function render(call: Call, one: Verification) {
  const found = common(call, one)
  return {
    ...found,
    lookup: {},
    send_code_attempts: [{ attempt_sid: sidOf('VL', one.id), channel: 'sms', time: found.date_created }],
    sna: null,
    url: `${serviceUrl(call, found.service_sid)}/Verifications/${found.sid}`,
  }
}

const serviceOf = (call: Call) => serviceIn(call, call.c.req.param('ServiceSid')!)

async function recipientOf({ store, user, parameters }: Call): Promise<string> {
  const number = await readNumber(store, user, parameters.get('To') ?? '')
  if (number !== undefined) return number
  throw invalidParameter('To', 'It must be a number in E.164')
}

const PATTERNS = { Locale: /^[a-zA-Z]{2,3}([-_][a-zA-Z0-9]{2,8})*$/, AppHash: /^[A-Za-z0-9+/]{11}$/ }

/**
 * Sends a code. Throws 404, TwilioRefusal 60200 for a wrong parameter or 60410 for a forbidden destination,
 * and the errors of `startVerification`.
 */
async function start(call: Call) {
  const { store, services, parameters } = call
  const service = await serviceOf(call)
  const to = await recipientOf(call)
  if (parameters.get('Channel')?.toLowerCase() !== 'sms') throw invalidParameter('Channel', 'It must be sms')
  const [locale, appHash, ip] = ['Locale', 'AppHash', 'DeviceIp'].map((name) => parameters.get(name) ?? '')
  if (locale && !PATTERNS.Locale.test(locale)) throw invalidParameter('Locale')
  if (appHash && !PATTERNS.AppHash.test(appHash)) throw invalidParameter('AppHash')
  if (ip && isIP(ip) === 0) throw invalidParameter('DeviceIp')
  const wording = { locale: locale!.replace('_', '-').toLowerCase(), domain: '', appHash: appHash! }
  const wanted = { sender: call, service, to, ...wording, templateId: '', length: 0, ttl: 0, ip: ip! }
  try {
    return render(call, await startVerification({ store, config: services.config }, wanted))
  } catch (error) {
    if (!isRefusal(error, 'destination_not_allowed')) throw error
    throw new TwilioRefusal(60410, (error as Error).message)
  }
}

/** The verification in the path, by SID, or by phone number while it is pending. Throws 404. */
async function read(call: Call): Promise<Verification> {
  const service = await serviceOf(call)
  const named = E164.test(call.sid)
    ? { id: '', to: call.sid, service }
    : { id: idOf('VE', call.sid) ?? '-', to: '', service }
  const found = await lookUp(call, named)
  if (named.id === '' && found.status !== 'pending') throw notFound()
  return found
}

/** A verification of the service; `expired` if it was pending for too long. Throws 404. */
async function lookUp({ store, user }: Call, named: Named): Promise<Verification> {
  const found = await findVerification(store, user, named)
  if (found.service !== named.service) throw notFound()
  const isOver = found.status === 'pending' && found.expires_at <= new Date().toISOString().replace('T', ' ')
  return isOver ? { ...found, status: 'expired' } : found
}

const fetchOne = async (call: Call) => render(call, await read(call))

/** Cancels or approves a verification. Throws 404 if not pending, TwilioRefusal 60200 for a bad `Status`. */
async function update(call: Call) {
  const status = call.parameters.get('Status')
  if (status !== 'canceled' && status !== 'approved') throw invalidParameter('Status')
  const { id, service, status: before } = await read(call)
  if (before !== 'pending') throw notFound()
  const ended = await endVerification(call.store, call.user, { id, to: '', service }, status)
  if (ended.status !== status) throw notFound()
  return render(call, ended)
}

/** Checks a code. Throws 404 for an ended verification, TwilioRefusal 60202 (tries) or 60200 (parameters). */
async function check(call: Call) {
  const { store, user, parameters } = call
  const service = await serviceOf(call)
  const [code, sid] = [parameters.get('Code') ?? '', parameters.get('VerificationSid') ?? '']
  if (code === '' || code.length > 20) throw invalidParameter('Code')
  const id = sid && (idOf('VE', sid) ?? '-')
  const named = { id, to: id ? '' : await recipientOf(call), service }
  const before = await lookUp(call, named)
  if (before.status === 'max_attempts_reached') throw new TwilioRefusal(60202, 'Max check attempts reached')
  if (before.status !== 'pending') throw notFound()
  const { status, ...after } = await checkVerification(store, user, { ...named, id: before.id, code })
  if (status === 'expired' || status === 'canceled') throw notFound()
  // the last allowed wrong code is also answered with `pending`
  const shown = status === 'approved' ? status : 'pending'
  return { ...common(call, { ...after, status: shown }), sna_attempts_error_codes: [] }
}

/** Twilio's Verify, version 2, below `/v2/Services`. */
export const VERIFY_ROUTES: readonly Route[] = [
  route('GET ', 'List services of codes', listServices, { query: PAGE_PARAMETERS }),
  route('POST ', 'Make a service of codes', createService, {
    form: SERVICE_PARAMETERS,
    answer: [201, 'The service.'],
  }),
  route('GET /{Sid}', 'Fetch a service of codes', fetchService),
  route('POST /{Sid}', 'Change a service of codes', changeService, {
    form: SERVICE_PARAMETERS,
  }),
  route('DELETE /{Sid}', 'Delete a service of codes', deleteService, {
    answer: [204, 'It is deleted, with its verifications.'],
  }),
  route('POST /{ServiceSid}/Verifications', 'Send a code', start, {
    form: START_PARAMETERS,
    answer: [201, 'The verification.'],
  }),
  route('GET /{ServiceSid}/Verifications/{Sid}', 'Fetch a verification, by its SID or its number', fetchOne),
  route(
    'POST /{ServiceSid}/Verifications/{Sid}',
    'Cancel or approve a verification, by its SID or its number',
    update,
    { form: ['Status'] },
  ),
  route('POST /{ServiceSid}/VerificationCheck', 'Check a code', check, {
    form: ['Code', 'To', 'VerificationSid'],
    answer: [201, 'The verification: `approved` if the code was right.'],
  }),
]
