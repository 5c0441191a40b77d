import { z } from 'zod'
import { readBasic } from '../../engine/auth/basic-credentials.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import { makeKeyCaller, type SendingCaller } from '../../gateway/messages/require-sender.ts'
import type { Attempt } from '../../http/attempt.ts'
import { BY_NOTHING, byKey } from '../../http/identify-caller.ts'
import type { Ctx } from '../../http/request-context.ts'
import type { Config } from '../../platform/config.ts'
import { queries } from '../../platform/db/queries.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { formatTwilioDate } from './dates.ts'
import { describePage, makeTokenError, readPageRequest } from './list-pages.ts'
import type { Parameters } from './parameters.ts'
import { API_VERSION, hasSid, makeAccountPath, makeSid, parseSid } from './sids.ts'
import { makeUnauthorizedError } from './twilio-errors.ts'

/** An API key as AuthToken: `psk_…` without its underscore. */
const TOKEN = /^psk[A-Za-z0-9]{64}$/

/**
 * AccountSid or key SID as user name, and the token of a key that was made for Twilio's API as password.
 */
export const BY_SID = byKey(
  ({ authorization }) => {
    const { identity, password = '' } = readBasic(authorization) ?? {}
    return TOKEN.test(password) ? { key: `psk_${password.slice(3)}`, name: identity } : undefined
  },
  BY_NOTHING,
  ({ auth, id, isTwilio }, { name = '' }) =>
    isTwilio &&
    hasSid(auth.id) &&
    (parseSid('AC', name) === auth.id || parseSid('SK', name) === id),
)

/** The account of a request. Throws 401. */
export function requireAccount({ found, store }: Attempt): SendingCaller {
  if (!found?.key) throw makeUnauthorizedError()
  return makeKeyCaller(store, found.key)
}

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
  const page = readPageRequest(parameters, 'AC')
  if (page.from) throw makeTokenError()
  const account = await findAccount(call)
  const isFirst = page.page === 0
  const content = { ids: isFirst ? [user] : [], hasOlder: false, hasNewer: !isFirst }
  return {
    ...describePage(`/${API_VERSION}/Accounts.json`, page, content),
    accounts: isFirst ? [account] : [],
  }
}

/** The values with which a program uses Twilio's API here, except the token. */
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
