import type { KeyHolder } from '../../engine/auth/identify-key.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { USERS_ID } from '../../engine/collections/collection.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import type { HasServices, Permission } from '../../http/allow-callers.ts'
import { type Attempt, asCaller, type WorkKind } from '../../http/attempt.ts'
import { BY_KEY_OR_TOKEN } from '../../http/identify-caller.ts'
import type { Ctx, Services } from '../../http/request-context.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { makeKeySender, makePersonSender, type Sender } from '../base/make-sender.ts'
import { ACTS, type Act, type Permit, requirePermit } from '../base/permissions.ts'
import type { SendServices } from './send/accept-send.ts'
import type { Sending } from './send/make-user-sending.ts'

export interface SendingCaller extends Sender {
  readonly store: Store
  readonly auth: AuthRecord
}

/** The caller of routes that concern texts: the sender, a permit, and the services of sending. */
export interface ActingCaller extends SendingCaller, HasServices {
  readonly permit: Permit
  readonly sending: Sending & SendServices
}

export interface SendingServices extends Services {
  readonly sending: Sending
}

export const addSending = (
  services: SendingServices,
  sender: SendingCaller,
  permit: Permit,
): ActingCaller => ({
  ...sender,
  permit,
  sending: { ...services.sending, store: sender.store },
  services,
})

const withActingCaller =
  (act: Act, kind: WorkKind): Permission<ActingCaller, SendingServices>['withCaller'] =>
  (c, services, work) =>
    asSender(c, services, act, kind, async (sender, permit) =>
      work(addSending(services, sender, permit)),
    )

/** A signed-in user who may do this act. API keys are refused. */
export const allowPerson = (act: Act): Permission<ActingCaller, SendingServices> => ({
  least: ACTS[act].role,
  security: 'signedIn',
  withCaller: withActingCaller(act, 'checked'),
})

/** The callers of an act: users with its role, and API keys with one of its scopes. */
const describeSenders = (act: Act): Permission<unknown> => ({
  least: ACTS[act].role,
  scopes: ACTS[act].scopes,
  security: 'sender',
  credentials: BY_KEY_OR_TOKEN,
})

/**
 * A user or API key that may do this act, from the cache at first: the route's SQL compares the versions.
 * Throws 401 for a guest; 403 for a device, a superuser or a key without the scope.
 */
export const allowSender = (act: Act): Permission<ActingCaller, SendingServices> => ({
  ...describeSenders(act),
  withCaller: withActingCaller(act, 'write'),
})

/** As `allowSender`, for SQL that does not compare the version of the caller. */
export const allowCheckedSender = (act: Act): Permission<ActingCaller, SendingServices> => ({
  ...describeSenders(act),
  withCaller: withActingCaller(act, 'checked'),
})

/** A user or API key that may do this act, which only reads. Throws as `allowSender`. */
export const allowReader = (act: Act): Permission<SendingCaller & HasServices> => ({
  ...describeSenders(act),
  withCaller: (c, services, work) =>
    asSender(c, services, act, 'checkedRead', async (sender) => work({ ...sender, services })),
})

/**
 * Runs `work` for a user or API key that may do this act, again if the sender or the collections have changed
 * meanwhile: see `retryRequest`. Throws as `allowSender`.
 */
export function asSender<T>(
  c: Ctx,
  services: Services,
  act: Act,
  kind: WorkKind,
  work: (sender: SendingCaller, permit: Permit) => Promise<T>,
): Promise<T> {
  return asCaller(c, services, kind, (attempt) => {
    const sender = requireSender(attempt)
    return work(sender, requirePermit(sender, act))
  })
}

/** The user or API key of a request. Throws 401 for a guest, 403 for a device or superuser. */
export const requireSender = ({ found, store }: Attempt): SendingCaller =>
  found?.key ? makeKeyCaller(store, found.key) : requireSendingUser(store, found?.auth ?? null)

export const makeKeyCaller = (store: Store, holder: KeyHolder): SendingCaller => ({
  ...makeKeySender(holder),
  auth: holder.auth,
  store,
})

const AS_A_USER =
  'Superusers have no phones and no quota. Send with the token of a user, or with an API key of a user in X-API-Key.'

function requireSendingUser(store: Store, auth: AuthRecord | null): SendingCaller {
  if (!auth) throw gatewayRefusal('unauthorized')
  // devices and superusers cannot send: they have no quota and no devices of their own
  if (auth.collection.id !== USERS_ID)
    throw gatewayRefusal('forbidden', undefined, auth.isSuperuser ? AS_A_USER : undefined)
  return { ...makePersonSender(auth), auth, store }
}
