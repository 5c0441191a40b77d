import { isIP } from 'node:net'
import { E164 } from '../../../portable/phone.ts'
import { isRefusal } from '../../../sms/send/shape.ts'
import { checkVerification, endVerification, findVerification, type Named } from '../../../verify/check.ts'
import { startVerification } from '../../../verify/start.ts'
import type { Verification } from '../../../verify/verification.ts'
import type { Call } from '../description.ts'
import { idOf, notFound, sidOf, TwilioRefusal } from '../refusal.ts'
import { invalidParameter, isoDate, serviceIn, serviceUrl } from './service.ts'

/** `RiskCheck` and `Tags` have no effect. */
export const START_PARAMETERS = ['To', 'Channel', 'Locale', 'AppHash', 'DeviceIp', 'RiskCheck', 'Tags']

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

function numberIn(text: string): string {
  const number = text.replaceAll(' ', '')
  if (!E164.test(number)) throw invalidParameter('To', 'It must be a number in E.164')
  return number
}

const PATTERNS = { Locale: /^[a-zA-Z]{2,3}([-_][a-zA-Z0-9]{2,8})*$/, AppHash: /^[A-Za-z0-9+/]{11}$/ }

/** Sends a code. Throws 404, 60200, 60203, 60212, 60410, and as the create of a message. */
export async function start(call: Call) {
  const { store, services, parameters, sender } = call
  const service = await serviceOf(call)
  const to = numberIn(parameters.get('To') ?? '')
  if (parameters.get('Channel')?.toLowerCase() !== 'sms') throw invalidParameter('Channel', 'It must be sms')
  const [locale, appHash, ip] = ['Locale', 'AppHash', 'DeviceIp'].map((name) => parameters.get(name) ?? '')
  if (locale && !PATTERNS.Locale.test(locale)) throw invalidParameter('Locale')
  if (appHash && !PATTERNS.AppHash.test(appHash)) throw invalidParameter('AppHash')
  if (ip && isIP(ip) === 0) throw invalidParameter('DeviceIp')
  const wording = { locale: locale!.replace('_', '-').toLowerCase(), domain: '', appHash: appHash! }
  const wanted = { sender, service, to, ...wording, templateId: '', length: 0, ttl: 0, ip: ip! }
  try {
    return render(call, await startVerification({ store, config: services.config }, wanted))
  } catch (error) {
    if (!isRefusal(error, 'destination_not_allowed')) throw error
    throw new TwilioRefusal(60410, (error as Error).message)
  }
}

/** The verification in the path, by its SID, or by its number while it is pending. Throws 404. */
async function read(call: Call): Promise<Verification> {
  const service = await serviceOf(call)
  const named = E164.test(call.sid)
    ? { id: '', to: call.sid, service }
    : { id: idOf('VE', call.sid) ?? '-', to: '', service }
  const found = await lookUp(call, named)
  if (named.id === '' && found.status !== 'pending') throw notFound()
  return found
}

/** A verification of the service; `expired` if its time is over. Throws 404. */
async function lookUp({ store, user }: Call, named: Named): Promise<Verification> {
  const found = await findVerification(store, user, named)
  if (found.service !== named.service) throw notFound()
  const isOver = found.status === 'pending' && found.expires_at <= new Date().toISOString().replace('T', ' ')
  return isOver ? { ...found, status: 'expired' } : found
}

export const fetchOne = async (call: Call) => render(call, await read(call))

/** Cancels or approves a pending verification. Throws 404, 60200. */
export async function update(call: Call) {
  const status = call.parameters.get('Status')
  if (status !== 'canceled' && status !== 'approved') throw invalidParameter('Status')
  const { id, service, status: before } = await read(call)
  if (before !== 'pending') throw notFound()
  const ended = await endVerification(call.store, call.user, { id, to: '', service }, status)
  if (ended.status !== status) throw notFound()
  return render(call, ended)
}

/** Checks a code. Throws 404 for a verification that has ended, 60202 after too many wrong codes, 60200. */
export async function check(call: Call) {
  const { store, user, parameters } = call
  const service = await serviceOf(call)
  const [code, sid] = [parameters.get('Code') ?? '', parameters.get('VerificationSid') ?? '']
  if (code === '' || code.length > 20) throw invalidParameter('Code')
  const id = sid && (idOf('VE', sid) ?? '-')
  const named = { id, to: id ? '' : numberIn(parameters.get('To') ?? ''), service }
  const before = await lookUp(call, named)
  if (before.status === 'max_attempts_reached') throw new TwilioRefusal(60202, 'Max check attempts reached')
  if (before.status !== 'pending') throw notFound()
  const { status, ...after } = await checkVerification(store, user, { ...named, id: before.id, code })
  if (status === 'expired' || status === 'canceled') throw notFound()
  // the last wrong code is answered as those before
  const shown = status === 'approved' ? status : 'pending'
  return { ...common(call, { ...after, status: shown }), sna_attempts_error_codes: [] }
}
