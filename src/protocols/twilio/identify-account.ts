import { z } from 'zod'
import { readBasic } from '../../engine/auth/basic-credentials.ts'
import { identifyKey } from '../../engine/auth/identify-key.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import { makeKeyCaller, type SendingCaller } from '../../gateway/messages/require-sender.ts'
import type { Ctx } from '../../http/request-context.ts'
import { withCatalog } from '../../http/retry-request.ts'
import { readClientIp } from '../../http/server/client-address.ts'
import type { Config } from '../../platform/config.ts'
import { queries } from '../../platform/db/queries.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { formatTwilioDate } from './dates.ts'
import { describePage, makeTokenError, readPage } from './list-pages.ts'
import type { Parameters } from './parameters.ts'
import { API_VERSION, hasSid, makeAccountPath, makeSid, parseSid } from './sids.ts'
import { makeUnauthorizedError, TwilioRefusal } from './twilio-errors.ts'

/** An API key as AuthToken: `psk_…` without its underscore. */
const TOKEN = /^psk[A-Za-z0-9]{64}$/

/** The API key in an Authorization header of Twilio's API; undefined without one. */
export function readTwilioKey(header?: string): string | undefined {
  const token = readBasic(header)?.password ?? ''
  return TOKEN.test(token) ? `psk_${token.slice(3)}` : undefined
}

/**
 * The account of an Authorization header: AccountSid or key SID as user name, token as password. Throws 401.
 */
export async function identifyAccount(c: Ctx, services: GatewayServices): Promise<SendingCaller> {
  const header = c.env.incoming.headers.authorization
  const key = readTwilioKey(header)
  const holder = key
    ? await identifyKey(services.store.signIn, { key, ip: readClientIp(c, services) })
    : null
  if (!holder?.isTwilio || !hasSid(holder.auth.id)) throw makeUnauthorizedError()
  const { identity } = readBasic(header)!
  if (parseSid('AC', identity) !== holder.auth.id && parseSid('SK', identity) !== holder.id)
    throw makeUnauthorizedError()
  return makeKeyCaller(c, services, holder)
}

/** The account of a request, for limits; null for wrong credentials, which count for the network. */
export const identifyOrGuest =
  (services: GatewayServices) =>
  (c: Ctx): Promise<AuthRecord | null> =>
    withCatalog(services.store, () => identifyAccount(c, services)).then(
      ({ auth }) => auth,
      (error: unknown) => {
        if (error instanceof TwilioRefusal) return null
        throw error
      },
    )

/** A call of Twilio's API. `sentBy`, from SendingCaller: the id of the caller's API key. */
export interface Call extends SendingCaller {
  readonly c: Ctx
  readonly services: GatewayServices
  /** The last SID in the path. */
  readonly sid: string
  /** Parameters of the form, or of the query for routes without a form. */
  readonly parameters: Parameters
}

export async function findAccount({ store, user }: Call) {
  const { name, created, updated } = await queries(store.db)
    .selectFrom('users')
    .select(['name', 'created', 'updated'])
    .where('id', '=', user)
    .executeTakeFirstOrThrow()
  const sid = makeSid('AC', user)
  const path = makeAccountPath(user)
  return {
    sid,
    owner_account_sid: sid,
    friendly_name: name,
    status: 'active',
    type: 'Full',
    auth_token: null,
    date_created: formatTwilioDate(created),
    date_updated: formatTwilioDate(updated),
    subresource_uris: {
      messages: `${path}/Messages.json`,
      incoming_phone_numbers: `${path}/IncomingPhoneNumbers.json`,
    },
    uri: `${path}.json`,
  }
}

/** The caller's accounts: there is only one. */
export async function listAccounts(call: Call) {
  const { user, parameters } = call
  const page = readPage(parameters, 'AC')
  if (page.from) throw makeTokenError()
  const account = await findAccount(call)
  const isFirst = page.page === 0
  const content = { ids: isFirst ? [user] : [], hasOlder: false, hasNewer: !isFirst }
  return {
    ...describePage(`/${API_VERSION}/Accounts.json`, page, content),
    accounts: isFirst ? [account] : [],
  }
}

/** What a program needs to use Twilio's API here, except the token. */
export const CONNECTION = z
  .object({
    account_sid: z.string(),
    messaging_service_sid: z.string(),
    key_sid: z.string().optional().describe('Of the API key that asks.'),
    base_url: z.string().describe('In the place of `https://api.twilio.com`.'),
    numbers: z.array(z.object({ phone_number: z.string(), sid: z.string() })),
  })
  .meta({ id: 'TwilioConnection' })

/** The SIDs of a user and of its numbers. Throws 403 for a user whose id cannot be an AccountSid. */
export async function describeConnection(
  { store, user, key }: SendingCaller,
  { publicUrl }: Config,
): Promise<z.output<typeof CONNECTION>> {
  if (!hasSid(user))
    throw gatewayRefusal('forbidden', 'The id of this user cannot be an AccountSid')
  const numbers = await queries(store.db)
    .selectFrom('devices')
    .select(['phone', 'id'])
    .where('user', '=', user)
    .where('phone', '<>', '')
    .orderBy('_rowid')
    .execute()
  return {
    account_sid: makeSid('AC', user),
    messaging_service_sid: makeSid('MG', user),
    ...(key && { key_sid: makeSid('SK', key.id) }),
    base_url: publicUrl,
    numbers: numbers.map(({ phone, id }) => ({ phone_number: phone, sid: makeSid('PN', id) })),
  }
}
