import { isIP } from 'node:net'
import { isRefusal } from '../../gateway/base/gateway-errors.ts'
import { readNumber } from '../../gateway/base/read-numbers.ts'
import {
  checkVerification,
  endVerification,
  findVerification,
  type VerificationName,
} from '../../gateway/codes/check-code.ts'
import { startVerification } from '../../gateway/codes/start-verification.ts'
import type { Verification } from '../../gateway/codes/verification-schemas.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { normalizePhone } from '../../portable/phone/read-phone.ts'
import { readTypedCode } from '../../portable/typed-code.ts'
import { formatIsoDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import { makeSid, parseSid } from './sids.ts'
import { makeNotFoundError, makeParameterError, TwilioRefusal } from './twilio-errors.ts'
import { findServiceId, makeServiceUrl } from './verify-services.ts'

/** Parameters of a new verification. `RiskCheck` and `Tags` have no effect. */
export const START_PARAMETERS = [
  'To',
  'Channel',
  'Locale',
  'AppHash',
  'DeviceIp',
  'RiskCheck',
  'Tags',
]

function describeVerification(
  { user }: Call,
  { id, to, service, channel, status, created, updated }: Verification,
) {
  const [sid, service_sid, account_sid] = [
    makeSid('VE', id),
    makeSid('VA', service),
    makeSid('AC', user),
  ]
  return {
    sid,
    service_sid,
    account_sid,
    to,
    channel,
    status,
    valid: status === 'approved',
    amount: null,
    payee: null,
    date_created: formatIsoDate(created),
    date_updated: formatIsoDate(updated),
  }
}

function renderVerification(call: Call, one: Verification) {
  const found = describeVerification(call, one)
  return {
    ...found,
    lookup: {},
    send_code_attempts: [
      { attempt_sid: makeSid('VL', one.id), channel: 'sms', time: found.date_created },
    ],
    sna: null,
    url: `${makeServiceUrl(call, found.service_sid)}/Verifications/${found.sid}`,
  }
}

const requireService = (call: Call) => findServiceId(call, call.c.req.param('ServiceSid')!)

async function readToNumber({ store, user, parameters }: Call): Promise<string> {
  const number = await readNumber(store, user, parameters.get('To') ?? '')
  if (number !== undefined) return number
  throw makeParameterError('To', 'It must be a number in E.164')
}

const PATTERNS = {
  Locale: /^[a-zA-Z]{2,3}([-_][a-zA-Z0-9]{2,8})*$/,
  AppHash: /^[A-Za-z0-9+/]{11}$/,
}

/**
 * Sends a code. Throws 404, TwilioRefusal 60200 for a wrong parameter or 60410 for a forbidden destination,
 * and the errors of `startVerification`.
 */
export async function sendCode(call: Call) {
  const { store, services, parameters } = call
  const service = await requireService(call)
  const to = await readToNumber(call)
  if (parameters.get('Channel')?.toLowerCase() !== 'sms')
    throw makeParameterError('Channel', 'It must be sms')
  const [locale, appHash, ip] = ['Locale', 'AppHash', 'DeviceIp'].map(
    (name) => parameters.get(name) ?? '',
  )
  if (locale && !PATTERNS.Locale.test(locale)) throw makeParameterError('Locale')
  if (appHash && !PATTERNS.AppHash.test(appHash)) throw makeParameterError('AppHash')
  if (ip && isIP(ip) === 0) throw makeParameterError('DeviceIp')
  const wording = { locale: locale!.replace('_', '-').toLowerCase(), domain: '', appHash: appHash! }
  const wanted = {
    sender: call,
    service,
    to,
    ...wording,
    templateId: '',
    length: 0,
    ttl: 0,
    ip: ip!,
  }
  return renderVerification(
    call,
    await startVerification({ store, config: services.config }, wanted).catch(
      throwDestinationError,
    ),
  )
}

/** Twilio's error 60410 for a forbidden destination of a code; any other error unchanged. */
function throwDestinationError(error: unknown): never {
  if (!isRefusal(error, 'destination_not_allowed')) throw error
  throw new TwilioRefusal(60410, (error as Error).message)
}

/** The verification in the path, by SID, or by phone number while it is pending. Throws 404. */
async function readVerification(call: Call): Promise<Verification> {
  const service = await requireService(call)
  const named = E164.test(call.sid)
    ? { id: '', to: normalizePhone(call.sid), service }
    : { id: parseSid('VE', call.sid) ?? '-', to: '', service }
  const found = await lookUpVerification(call, named)
  if (named.id === '' && found.status !== 'pending') throw makeNotFoundError()
  return found
}

/** A verification of the service; `expired` if it was pending for too long. Throws 404. */
async function lookUpVerification(
  { store, user }: Call,
  named: VerificationName,
): Promise<Verification> {
  const found = await findVerification(store, user, named)
  if (found.service !== named.service) throw makeNotFoundError()
  const isOver =
    found.status === 'pending' && found.expires_at <= new Date().toISOString().replace('T', ' ')
  return isOver ? { ...found, status: 'expired' } : found
}

export const fetchVerification = async (call: Call) =>
  renderVerification(call, await readVerification(call))

/** Cancels or approves a verification. Throws 404 if not pending, TwilioRefusal 60200 (`Status`), 60410. */
export async function changeVerification(call: Call) {
  const status = call.parameters.get('Status')
  if (status !== 'canceled' && status !== 'approved') throw makeParameterError('Status')
  const { id, service, status: before } = await readVerification(call)
  if (before !== 'pending') throw makeNotFoundError()
  const ended = await endVerification(call.store, call, { id, to: '', service }, status).catch(
    throwDestinationError,
  )
  if (ended.status !== status) throw makeNotFoundError()
  return renderVerification(call, ended)
}

/** Checks a code. Throws 404 for an ended one, TwilioRefusal 60202 (tries), 60200 (parameters), 60410. */
export async function checkCode(call: Call) {
  const { store, parameters } = call
  const service = await requireService(call)
  const code = readTypedCode(parameters.get('Code') ?? '')
  const sid = parameters.get('VerificationSid') ?? ''
  if (code === '' || code.length > 20) throw makeParameterError('Code')
  const id = sid && (parseSid('VE', sid) ?? '-')
  const named = { id, to: id ? '' : await readToNumber(call), service }
  const before = await lookUpVerification(call, named)
  if (before.status === 'max_attempts_reached')
    throw new TwilioRefusal(60202, 'Max check attempts reached')
  if (before.status !== 'pending') throw makeNotFoundError()
  const checked = { ...named, id: before.id, code }
  const { status, ...after } = await checkVerification(store, call, checked).catch(
    throwDestinationError,
  )
  if (status === 'expired' || status === 'canceled') throw makeNotFoundError()
  // the last allowed wrong code is also answered with `pending`
  const shown = status === 'approved' ? status : 'pending'
  return {
    ...describeVerification(call, { ...after, status: shown }),
    sna_attempts_error_codes: [],
  }
}
