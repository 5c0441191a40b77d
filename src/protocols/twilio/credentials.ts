import { identifyKey, type KeyHolder } from '../../auth/tokens/api-keys.ts'
import { readBasic } from '../../auth/tokens/tokens.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Ctx, Services } from '../../http/context.ts'
import { clientIp } from '../../http/server/client-ip.ts'
import { storeOf } from '../../http/server/store-of.ts'
import type { AuthRecord } from '../../request/request.ts'
import { type Sender, senderOfKey } from '../../sms/send/shape.ts'
import { hasSid, idOf, unauthorized } from './refusal.ts'

/** The caller: a user with an API key for this API. */
export interface Account {
  /** The store on the user's ticket. */
  readonly store: Store
  readonly auth: AuthRecord
  readonly sender: Sender
  readonly user: string
  readonly apiKey: string
  /** Changes with the user's record and with the key's. */
  readonly version: string
}

/** An API key as AuthToken: `psk_…` without its underscore. */
const TOKEN = /^psk[A-Za-z0-9]{64}$/

/** The API key in an Authorization header of Twilio's API; undefined without one. */
export function keyIn(header?: string): string | undefined {
  const token = readBasic(header)?.password ?? ''
  return TOKEN.test(token) ? `psk_${token.slice(3)}` : undefined
}

/** The account of an Authorization header (AccountSid or key SID, and token). Throws 401. */
export async function identifyAccount(c: Ctx, services: Services): Promise<Account> {
  const header = c.env.incoming.headers.authorization
  const key = keyIn(header)
  const holder = key ? await identifyKey(services.store.signIn, { key, ip: clientIp(c, services) }) : null
  if (!holder?.isTwilio || !hasSid(holder.auth.id)) throw unauthorized()
  if (!isNameOf(readBasic(header)!.identity, holder)) throw unauthorized()
  const { auth, id } = holder
  const version = `${auth.version} ${id} ${holder.version}`
  const store = storeOf(c, services, auth)
  return { store, auth, sender: senderOfKey(holder), user: auth.id, apiKey: id, version }
}

const isNameOf = (name: string, { auth, id }: KeyHolder) =>
  idOf('AC', name) === auth.id || idOf('SK', name) === id
