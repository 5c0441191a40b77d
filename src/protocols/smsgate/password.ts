import { requireRole } from '../../auth/members/route-roles.ts'
import { answerSignIn } from '../../auth/sign-in/sign-in.ts'
import { authWithPassword } from '../../auth/sign-in/with-password.ts'
import { readBasic } from '../../auth/tokens/tokens.ts'
import type { AuthCollection } from '../../collections/catalog.ts'
import { ApiError, GatewayError } from '../../errors.ts'
import type { Ctx, Services } from '../../http/context.ts'
import { buildRequest } from '../../http/request-info.ts'
import { clientIp } from '../../http/server/client-ip.ts'
import { storeOf } from '../../http/server/store-of.ts'
import type { AuthRecord } from '../../request/request.ts'
import { gatewayRefusal } from '../../sms/send/shape.ts'

const USERS = 'users'
const WRONG = 'The login or the password is wrong.'

/** The user of `Authorization: Basic`, with all limits of a sign-in. Throws 401, 429, 403 for a role. */
export async function signInBasic(c: Ctx, services: Services): Promise<AuthRecord> {
  const pair = readBasic(c.env.incoming.headers.authorization)
  if (!pair) throw gatewayRefusal('unauthorized', WRONG)
  const store = storeOf(c, services, null)
  const users = store.catalog.find(USERS) as AuthCollection
  const ip = clientIp(c, services)
  let user: AuthRecord
  try {
    const form = async () => ({ ...pair, identityField: '' })
    user = await authWithPassword({ store, services, collection: users, ip, readForm: form })
    const visit = {
      request: buildRequest(c, null, {}, 'password'),
      readMfaForm: async () => ({ mfaId: '' }),
      ip,
      userAgent: c.env.incoming.headers['user-agent'] ?? '',
    }
    await answerSignIn(store, services, user, visit, { method: 'password', isOnce: true })
  } catch (error) {
    throw asWrong(error)
  }
  requireRole(user, `${c.req.method} ${c.req.path}`)
  return user
}

/** 401 for a refused sign-in: a wrong password, a failed rule, a needed second method. */
const asWrong = (error: unknown) =>
  (error instanceof ApiError || error instanceof GatewayError) && error.status < 429
    ? gatewayRefusal('unauthorized', WRONG)
    : error
