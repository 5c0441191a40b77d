import { readBasic } from '../../engine/auth/basic-credentials.ts'
import { findAuthRecord } from '../../engine/auth/find-auth-record.ts'
import { answerSignIn } from '../../engine/auth/sign-in.ts'
import { authWithPassword } from '../../engine/auth/sign-in-with-password.ts'
import { signToken } from '../../engine/auth/tokens.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import type { AuthCollection } from '../../engine/collections/collection.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { requireRole, retryRequest } from '../../http/attempt.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { ApiError, GatewayError } from '../../platform/api-errors.ts'
import { PAIRING_CODE, readTypedCode } from '../../portable/typed-code.ts'
import { checkShape } from '../base/body-schemas.ts'
import { gatewayRefusal, isRefusal } from '../base/gateway-errors.ts'
import { limitPairing } from '../lines/limit-pairing.ts'
import { addDevice, pairDevice } from '../lines/pair-device.ts'
import { REGISTER_BODY } from './sim-cards.ts'

const USERS = 'users'
const WRONG = 'The login or the password is wrong.'

/** Signs in by `Authorization: Basic`. Throws 401 if refused, 429 beyond a limit, 403 for too low a role. */
export async function signInBasic(c: Ctx, services: Services): Promise<AuthRecord> {
  const pair = readBasic(c.env.incoming.headers.authorization)
  if (!pair) throw gatewayRefusal('unauthorized', WRONG)
  const store = c.env.incoming.openStore(null)
  const users = store.catalog.find(USERS) as AuthCollection
  const ip = c.env.incoming.ip
  let user: AuthRecord
  try {
    const form = async () => ({ ...pair, identityField: '' })
    user = await authWithPassword({ store, services, collection: users, ip, readForm: form })
    const visit = {
      request: c.env.incoming.describe(null, {}, 'password'),
      readMfaForm: async () => ({ mfaId: '' }),
      ip,
      userAgent: c.env.incoming.headers['user-agent'] ?? '',
    }
    await answerSignIn(store, services, user, visit, { method: 'password', token: '' })
  } catch (error) {
    // refused: the password is wrong, the auth rule fails, or a second factor is needed
    const isRefused =
      (error instanceof ApiError || error instanceof GatewayError) && error.status < 429
    throw isRefused ? gatewayRefusal('unauthorized', WRONG) : error
  }
  requireRole(user, c.env.incoming.row)
  return user
}

/** The app cannot renew its token: it is good for ten years, or until the device is deleted. */
const TOKEN_SECONDS = 3650 * 86_400

type NewPhone = Parameters<typeof addDevice>[3]
type Way = (c: Ctx, services: Services, given: string, phone: NewPhone) => Promise<string>

const NO_NAME = 'Android phone'
const HOW =
  'A phone joins with a pairing code (By Code, or as its private token), or with the login and password of its user.'

/** Pairs a phone by its code. Malformed codes are refused without a query and do not count as tries. */
const byCode =
  (isToken: boolean): Way =>
  async (c, services, given, phone) => {
    const code = readTypedCode(given)
    if (!PAIRING_CODE.test(code)) throw gatewayRefusal('unauthorized', HOW)
    const join = () =>
      pairDevice(c.env.incoming.openStore(null), services.extensions, { ...phone, code })
    return limitPairing(c, services, join, isToken ? code : undefined)
  }

/**
 * Ways to register, by authorization scheme. An app that was registered before can send the pairing code only
 * as its private token (Bearer).
 */
const WAYS: Readonly<Record<string, Way>> = {
  code: byCode(false),
  bearer: byCode(true),
  basic: (c, services, _, phone) =>
    retryRequest(services.store, { identify: () => signInBasic(c, services) }, (user) =>
      addDevice(c.env.incoming.openStore(user), services.extensions, user, {
        ...phone,
        name: phone.model ?? '',
      }),
    ),
}

/** Registers a phone. Throws 401 for a wrong code or password, or none. API keys are not accepted. */
export async function register(c: Ctx, services: Services, body: unknown) {
  const { name, simCards } = checkShape(REGISTER_BODY, body)
  const credentials = (c.env.incoming.headers.authorization ?? '').trim()
  const [scheme = ''] = credentials.split(/\s/, 1)
  const given = credentials.slice(scheme.length).trim()
  const way = Object.hasOwn(WAYS, scheme.toLowerCase()) ? WAYS[scheme.toLowerCase()] : undefined
  if (!way) throw gatewayRefusal('unauthorized', HOW)
  const phone = {
    name: '',
    model: name || NO_NAME,
    platform: 'android',
    phone: '',
    sims: simCards ?? [],
    push: null,
  }
  try {
    return await answer(c.env.incoming.openStore(null), await way(c, services, given, phone))
  } catch (error) {
    // in the app's protocol a wrong code is a 401
    if (!isRefusal(error, 'wrong_code')) throw error
    throw gatewayRefusal('unauthorized', (error as Error).message)
  }
}

/** Answers a registration. Sends no password, because the user has one already. */
async function answer(store: Store, id: string) {
  const collectionOf = (name: string) => store.catalog.find(name) as AuthCollection
  const device = await findAuthRecord(store, collectionOf('devices'), id)
  const user =
    device && (await findAuthRecord(store, collectionOf('users'), String(device.values.user)))
  if (!device || !user) throw gatewayRefusal('unauthorized', HOW)
  const token = await signToken(device, 'auth', { duration: TOKEN_SECONDS })
  return { id, token, login: String(user.values.email || user.id) }
}
