import { identifyKey } from '../../auth/tokens/api-keys.ts'
import { identify } from '../../auth/tokens/identify.ts'
import { hasScope, type Scope } from '../../auth/tokens/scopes.ts'
import { USERS_ID } from '../../collections/collection.ts'
import { GatewayError } from '../../errors.ts'
import { gatewayRefusal } from '../../sms/send/refusal.ts'
import { SENDER_TRIES, type Sender, StaleSender, senderOf, senderOfKey } from '../../sms/send/sender.ts'
import type { Ctx, Services } from '../context.ts'
import { withCatalog } from '../retry.ts'

/**
 * Who sends, by X-API-Key or else Authorization. Throws 401 for nobody, 403 for who is no user, and for a key
 * without any of the scopes. With `cached`, as it was when last read.
 */
export async function requireSender(
  c: Ctx,
  { store }: Pick<Services, 'store'>,
  scopes: readonly Scope[],
  cached = false,
): Promise<Sender> {
  const apiKey = c.env.incoming.headers['x-api-key']
  if (apiKey !== undefined) {
    const holder = await withCatalog(store, () => identifyKey(store, String(apiKey), { cached }))
    if (!holder) throw gatewayRefusal('unauthorized')
    if (!scopes.some((scope) => hasScope(holder.scopes, scope))) {
      if (cached) return requireSender(c, { store }, scopes)
      throw scopeRequired(scopes[0]!)
    }
    return senderOfKey(holder)
  }
  return requireUser(c, { store }, cached)
}

/** A key lacks a scope. */
export const scopeRequired = (scope: string) => gatewayRefusal('forbidden', `scope required: ${scope}`)

/** The same of who signed in: API keys are not looked at. */
export async function requireUser(
  c: Ctx,
  { store }: Pick<Services, 'store'>,
  cached = false,
): Promise<Sender> {
  const { authorization } = c.env.incoming.headers
  const auth = await withCatalog(store, () => identify(store, authorization, { cached }))
  if (!auth) throw gatewayRefusal('unauthorized')
  // neither devices nor superusers have a quota or devices of their own
  if (auth.collection.id !== USERS_ID) throw gatewayRefusal('forbidden')
  return senderOf(auth)
}

/** Scopes that open the figures of an account: its usage tells a sender what it may still send. */
export const READS: readonly Scope[] = ['messages:read', 'messages:send']

/**
 * Whose figures may be read: those of the user who asks, or all (null) for a superuser. Throws as
 * `requireSender`.
 */
export async function ownerOf(c: Ctx, services: Services): Promise<string | null> {
  const { authorization, 'x-api-key': apiKey } = c.env.incoming.headers
  const auth = apiKey === undefined ? await identify(services.store, authorization) : null
  return auth?.isSuperuser ? null : (await requireSender(c, services, READS)).user
}

const SENDS: readonly Scope[] = ['messages:send']

/** Runs `work` for the sender of a request. See `withFreshSender`. */
export const withSender = <T>(c: Ctx, services: Services, work: (sender: Sender) => Promise<T>): Promise<T> =>
  withFreshSender((cached) => requireSender(c, services, SENDS, cached), work)

/**
 * Runs `work` for a sender from memory, which spares a round trip: what accepts looks whether the credentials
 * are still true. A refusal says nothing before they are known to be: who may not send is told only that.
 */
export async function withFreshSender<T>(
  identifySender: (cached: boolean) => Promise<Sender>,
  work: (sender: Sender) => Promise<T>,
): Promise<T> {
  let sender = await identifySender(true)
  for (let tries = 1; ; tries++) {
    try {
      return await work(sender)
    } catch (error) {
      if (tries === SENDER_TRIES || !(error instanceof StaleSender || error instanceof GatewayError))
        throw error
      const fresh = await identifySender(false)
      if (error instanceof GatewayError && isSame(sender, fresh)) throw error
      sender = fresh
    }
  }
}

const isSame = (a: Sender, b: Sender) =>
  a.user === b.user && a.version === b.version && a.key?.id === b.key?.id && a.key?.version === b.key?.version
