import { changeAuthRecord } from '../../auth/account/change.ts'
import { findAuthRecord } from '../../auth/auth-rows.ts'
import { limitSignInAttempts } from '../../auth/limits/attempt-limits.ts'
import { requireRole } from '../../auth/members/route-roles.ts'
import { answerSignIn } from '../../auth/sign-in/sign-in.ts'
import { authWithPassword } from '../../auth/sign-in/with-password.ts'
import { readBasic } from '../../auth/tokens/tokens.ts'
import { type AuthCollection, userHolder } from '../../collections/catalog.ts'
import { ApiError, badRequest, GatewayError } from '../../errors.ts'
import { verifyPassword } from '../../fields/values/bcrypt.ts'
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

/** Replaces a user's password, given the present one, and ends all sessions. Throws 401, 400, 429. */
export async function changePassword(
  c: Ctx,
  services: Services,
  userId: string,
  { currentPassword, newPassword }: { readonly currentPassword: string; readonly newPassword: string },
): Promise<void> {
  const { store: all, config, extensions } = services
  const store = all.forUser(userId)
  const users = store.catalog.find(USERS) as AuthCollection
  const user = await findAuthRecord(store, users, userId)
  if (!user) throw gatewayRefusal('unauthorized', WRONG)
  const tried = { db: store.db, config, collection: users.id, account: userId, ip: clientIp(c, services) }
  await limitSignInAttempts(tried, async () => {
    const hash = String(user.values.password)
    if (!(await verifyPassword(currentPassword, hash, userHolder(userId)))) throw badRequest(WRONG)
  }).catch((error: unknown) => {
    throw asWrong(error)
  })
  const change = { password: newPassword }
  await changeAuthRecord(store, extensions, user, change, 'The new password cannot be taken.')
}
