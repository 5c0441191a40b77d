import { hash } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import type { AuthCollection, Store } from '../collections/catalog.ts'
import { atLeast, checkFields } from '../collections/checks.ts'
import { ApiError, badRequest, forbidden, GatewayError, notFound } from '../errors.ts'
import { now } from '../fields/date.ts'
import { object, text, type ValueOf, whole } from '../fields/shape.ts'
import { answerRecord } from '../records/list.ts'
import { byId, selectRows } from '../records/read-rows.ts'
import { toRow } from '../records/record-sql.ts'
import { isRuleFault } from '../records/render.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'
import { within } from '../tools/deadline.ts'
import { memoize } from '../tools/lru.ts'
import {
  addMissingSystemRecord,
  addSystemRecord,
  deleteSystemRecord,
  findAuthRecord,
  findSystemRecord,
  isOlder,
  listSystemRecords,
  requireEnabled,
  touchSystemRecord,
} from './auth-rows.ts'
import type { AuthServices, Origin } from './auth-services.ts'
import { mailAuthAlert } from './mails.ts'
import { startSession } from './sessions.ts'
import { signToken } from './tokens.ts'

export interface SignInRequest extends Origin {
  readonly request: RequestInfo
  readonly readMfaForm: () => Promise<MfaForm>
}

export interface Proof {
  /** How the user signed in; absent if a token is exchanged for a new one. */
  readonly method?: Method
  /** The `meta` of the answer, as JSON text. */
  readonly meta?: string
  /** The token to answer with. If absent, a new session starts. */
  readonly token?: string
}

/**
 * Answers a sign-in with JSON `{"record":…,"token":…}`. Throws 403, or 401 if a second method is required.
 * PocketBase: apis/record_helpers.go, recordAuthResponse
 */
export async function answerSignIn(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  signIn: SignInRequest,
  proof: Proof,
): Promise<string> {
  checkAddress(services, auth, signIn.ip)
  requireEnabled(auth)
  await checkAuthRule(store, auth, signIn.request)
  if (proof.method) {
    await checkMfa(store, auth, proof.method, signIn.request, signIn.readMfaForm)
    await recordOrigin(store, services, auth, signIn)
  }
  const token = proof.token ?? (await startSession(store.db, auth, signIn))
  const asItself = { ...signIn.request, auth }
  const record = await answerRecord(store, auth.collection, toRow(auth.collection, auth.values), asItself)
  const meta = proof.meta ? `"meta":${proof.meta},` : ''
  return `{${meta}"record":${record},"token":${JSON.stringify(token)}}`
}

/** False only for a superuser at an IP address that the settings do not allow. */
export function isAddressAllowed({ settings }: AuthServices, auth: AuthRecord | null, ip: string): boolean {
  const { superuserIPs } = settings.current
  return !auth?.isSuperuser || superuserIPs.length === 0 || isListed(superuserIPs, ip)
}

export function checkAddress(services: AuthServices, auth: AuthRecord | null, ip: string): void {
  if (!isAddressAllowed(services, auth, ip)) throw forbidden()
}

async function checkAuthRule(store: Store, auth: AuthRecord, request: RequestInfo) {
  const { authRule } = auth.collection as AuthCollection
  const refusal = forbidden("The request doesn't satisfy the collection requirements to authenticate.")
  if (request.auth?.isSuperuser) return
  const isMet =
    authRule !== null &&
    (await satisfies(store, auth, authRule, request).catch((error) => {
      throw isRuleFault(error) ? refusal : error
    }))
  if (!isMet) throw refusal
}

type Method = 'password' | 'otp' | 'oauth2'

export const MFA_FORM = object({ mfaId: text })
type MfaForm = ValueOf<typeof MFA_FORM>

const FIELDS = ['collectionRef', 'recordRef', 'method', 'created'] as const

/**
 * After the first of two required sign-in methods, throws 401 with an `mfaId`. The request for the second
 * must contain this id and uses it up. Throws 400 for a wrong id. PocketBase: apis/record_helpers.go,
 * checkMFA
 */
async function checkMfa(
  store: Store,
  auth: AuthRecord,
  method: Method,
  request: RequestInfo,
  readForm: () => Promise<MfaForm>,
) {
  const { mfa } = auth.collection as AuthCollection
  const isWanted =
    mfa.enabled &&
    (await satisfies(store, auth, mfa.rule, request).catch((cause) => {
      throw Object.assign(badRequest('Failed to authenticate.'), { cause })
    }))
  if (!isWanted) return
  const read = () =>
    readForm().catch((error) => {
      throw error instanceof ApiError ? badRequest('Failed to read MFA Id') : error
    })
  const mfaId = request.query.mfaId || (await read()).mfaId
  if (mfaId === '')
    throw new GatewayError(401, { mfaId: await addSystemRecord(store, '_mfas', auth, { method }) })
  const found = await findSystemRecord(store, '_mfas', mfaId, FIELDS)
  if (!found || isOlder(found.created, mfa.duration)) {
    if (found) await deleteSystemRecord(store, '_mfas', mfaId)
    throw badRequest('Invalid or expired MFA session.')
  }
  if (found.recordRef !== auth.id || found.collectionRef !== auth.collection.id)
    throw badRequest('Invalid MFA session.')
  if (found.method === method) throw badRequest('A different authentication method is required.')
  // deleting the row uses up the id, so two concurrent requests cannot both use it
  if (!(await deleteSystemRecord(store, '_mfas', mfaId))) throw badRequest('Invalid or expired MFA session.')
}

/** Whether an auth record matches a rule of its collection for this request. Throws FilterError. */
async function satisfies(store: Store, auth: AuthRecord, rule: string, request: RequestInfo) {
  if (rule === '') return true
  const { collection, id } = auth
  return (await selectRows(store, { collection, rule, request, ...byId(id) })).length > 0
}

const MAX_ORIGINS = 5
const MAX_AGENT_LENGTH = 200
const MAIL_MS = 15_000

/**
 * Stores the last five origins of sign-ins (IP address and browser); mails about a new one. PocketBase:
 * record_helpers.go, authAlert
 */
async function recordOrigin(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  { ip, userAgent }: Origin,
): Promise<void> {
  if (!(auth.collection as AuthCollection).authAlert.enabled) return
  const agent = userAgent.length > MAX_AGENT_LENGTH ? `${userAgent.slice(0, MAX_AGENT_LENGTH)}...` : userAgent
  const fingerprint = hash('md5', ip + agent)
  const origins = await listSystemRecords(store, '_authOrigins', auth, ['id', 'fingerprint'])
  const known = origins.find((origin) => origin.fingerprint === fingerprint)
  if (known) return touchSystemRecord(store, '_authOrigins', known.id)
  if (origins.length > 0 && auth.values.email !== '') {
    try {
      await within(mailAuthAlert(services, auth, `${now()} - ${ip} ${agent}`), MAIL_MS)
    } catch (err) {
      const { collection, id } = auth
      return services.log.warn({ err, collection: collection.name, id }, 'could not send a login alert')
    }
  }
  for (const { id } of origins.slice(MAX_ORIGINS - 1)) await deleteSystemRecord(store, '_authOrigins', id)
  await addMissingSystemRecord(store, '_authOrigins', auth, { fingerprint })
}

/** Whether an IP address is in a list of addresses and subnets (such as `10.0.0.0/8`). */
export function isListed(addresses: readonly string[], ip: string): boolean {
  const version = isIP(ip)
  if (version === 0) return false
  return listOf(addresses).check(ip, version === 6 ? 'ipv6' : 'ipv4')
}

const listOf = memoize((addresses: readonly string[]) => {
  const list = new BlockList()
  for (const entry of addresses) {
    const [address = '', bits] = entry.split('/')
    const version = isIP(address)
    if (version === 0) continue
    const family = version === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
})

export const IMPERSONATE_FORM = object({ duration: whole })

/**
 * Makes a token of a record for a superuser; it cannot be refreshed. PocketBase: record_auth_impersonate.go
 */
export async function impersonate(
  store: Store,
  collection: AuthCollection,
  id: string,
  readForm: () => Promise<{ duration: number }>,
): Promise<{ auth: AuthRecord; token: string }> {
  const auth = await findAuthRecord(store, collection, id)
  if (!auth) throw notFound()
  requireEnabled(auth)
  const { duration } = await readForm()
  checkFields({ duration }, { duration: [atLeast(0)] })
  return { auth, token: await signToken(auth, 'auth', { refreshable: false, duration }) }
}
