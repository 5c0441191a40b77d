import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { run, runForRow, statement, text } from '../../db/statement.ts'
import { gatewayRefusal } from '../../sms/send/shape.ts'
import type { Call } from './description.ts'
import { describePage, readPage, unknownToken } from './paging.ts'
import { API_VERSION, accountPath, hasSid, sidOf, twilioDate } from './refusal.ts'

const USER = statement('twilio user', { name: 'string', created: 'string', updated: 'string' })`
select name, created, updated from users where id = ${text('user')}`

/** The caller's account as Twilio's API has it. */
export async function findAccount({ store, user }: Call) {
  const { name, created, updated } = (await runForRow(store.db, USER, { user }))!
  const sid = sidOf('AC', user)
  const path = accountPath(sid)
  return {
    sid,
    owner_account_sid: sid,
    friendly_name: name,
    status: 'active',
    type: 'Full',
    auth_token: null,
    date_created: twilioDate(created),
    date_updated: twilioDate(updated),
    subresource_uris: {
      messages: `${path}/Messages.json`,
      incoming_phone_numbers: `${path}/IncomingPhoneNumbers.json`,
    },
    uri: `${path}.json`,
  }
}

/** The list of a user's accounts: the one account, or none when a filter does not match it. */
export async function listAccounts(call: Call) {
  const { user, parameters } = call
  const page = readPage(parameters, 'AC')
  if (page.from) throw unknownToken()
  const account = await findAccount(call)
  const name = parameters.get('FriendlyName') || account.friendly_name
  const status = parameters.get('Status') || account.status
  const isListed = name === account.friendly_name && status === account.status && page.page === 0
  const content = { ids: isListed ? [user] : [], hasOlder: false, hasNewer: page.page > 0 }
  return {
    ...describePage(`/${API_VERSION}/Accounts.json`, page, content),
    accounts: isListed ? [account] : [],
  }
}

/** Data that a program needs for this API, except the token. */
export const CONNECTION = z
  .object({
    account_sid: z.string(),
    messaging_service_sid: z.string(),
    key_sid: z.string().optional().describe('Of the API key that asks.'),
    base_url: z.string().describe('In the place of `https://api.twilio.com`.'),
    numbers: z.array(z.object({ phone_number: z.string(), sid: z.string() })),
  })
  .meta({ id: 'TwilioConnection' })

const NUMBERS = statement('twilio numbers', { phone: 'string', id: 'string' })`
select phone, id from devices where "user" = ${text('user')} and phone <> '' order by _rowid`

/** The SIDs of a user and of its numbers. Throws 403 for a user whose id cannot be an AccountSid. */
export async function describeConnection(
  { db }: Store,
  { publicUrl }: Pick<Config, 'publicUrl'>,
  user: string,
  key: string | undefined,
): Promise<z.output<typeof CONNECTION>> {
  if (!hasSid(user)) throw gatewayRefusal('forbidden', 'The id of this user cannot be an AccountSid')
  const numbers = await run(db, NUMBERS, { user })
  return {
    account_sid: sidOf('AC', user),
    messaging_service_sid: sidOf('MG', user),
    ...(key !== undefined && { key_sid: sidOf('SK', key) }),
    base_url: publicUrl,
    numbers: numbers.map(({ phone, id }) => ({ phone_number: phone, sid: sidOf('PN', id) })),
  }
}
