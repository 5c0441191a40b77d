import { sweepQueue } from '../../src/gateway/messages/queue/sweep-queue.ts'
import { type Client, client, must } from '../support/server/server-with-devices.ts'
import { fixture } from './callers.ts'

// What jobs may do: texts that were accepted for later, and what has changed since about their authors. A
// text is judged when it is accepted, changed or sent again. When it is due, its account must be enabled.

const { url, query, superuser, server } = fixture
const ONLINE_SECONDS = 3_600
const TO = '+4915112345678'

const record = (collection: string, id: string) => `/api/collections/${collection}/records/${id}`
const make = (by: Client, collection: string, values: object) =>
  must(by, 'POST', `/api/collections/${collection}/records`, {
    user: by.id,
    name: 'Name',
    ...values,
  })

async function shopWithPhone() {
  const shop = await fixture.makeUser()
  const phone = await fixture.pair(shop)
  await query(`update devices set sims = '[{"slot":1},{"slot":2}]' where id = $1`, [phone.id])
  const lines = (
    await query('select id from lines where device = $1 order by slot', [phone.id])
  ).flat()
  return { shop, phone, lines: lines as string[] }
}
type Shop = Awaited<ReturnType<typeof shopWithPhone>>

/** Whoever schedules a text, and the record that says what they may do. */
interface Author {
  readonly send: (body: object) => Promise<string>
  readonly change: (values: object) => Promise<unknown>
  readonly remove: () => Promise<unknown>
}

async function keyOf({ shop }: Shop): Promise<Author> {
  const { id, key } = await make(shop, 'api_keys', {})
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  return {
    async send(body) {
      const answer = await fetch(`${url}/api/sms/send`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return ((await answer.json()) as { message_ids: [string] }).message_ids[0]
    },
    change: (values) => must(shop, 'PATCH', record('api_keys', id), values),
    remove: () => must(shop, 'DELETE', record('api_keys', id)),
  }
}

async function memberOf({ shop }: Shop): Promise<Author> {
  const person = await fixture.makeUser()
  const account = { account: shop.id }
  const { id } = await make(superuser, 'members', { ...account, member: person.id, role: 'admin' })
  const { token } = await must(person, 'POST', '/api/account/act-for', account)
  return {
    send: async (body) =>
      (await must(client(url, '', token), 'POST', '/api/sms/send', body)).message_ids[0],
    change: (values) => must(superuser, 'PATCH', record('members', id), values),
    remove: () => must(superuser, 'DELETE', record('members', id)),
  }
}

const settings = ({ shop }: Shop, values: object) =>
  make(superuser, 'user_settings', { user: shop.id, ...values })

type Since = (author: Author, shop: Shop) => Promise<unknown>
/** What happened since a text was accepted, and whether it leaves. */
export const SINCE: readonly [what: string, by: typeof keyOf, since: Since, leaves: boolean][] = [
  ['its key was disabled', keyOf, (key) => key.change({ disabled: true }), true],
  ['its key was deleted', keyOf, (key) => key.remove(), true],
  ['its key may send elsewhere alone', keyOf, (key) => key.change({ destinations: '+1' }), false],
  [
    'its key may send by another line alone',
    keyOf,
    (key, { lines }) => key.change({ lines: [lines[1]] }),
    true,
  ],
  ['its author became a viewer', memberOf, (member) => member.change({ role: 'viewer' }), true],
  ['its author left the team', memberOf, (member) => member.remove(), true],
  [
    'its account may send elsewhere alone',
    keyOf,
    (_, shop) => settings(shop, { destinations: '+1' }),
    false,
  ],
  ['its account was disabled', keyOf, (_, shop) => settings(shop, { disabled: true }), false],
]

/** Whether a phone gets a text that was accepted for later, after a change. */
export async function leavesAfter(by: typeof keyOf, since: Since): Promise<boolean> {
  const shop = await shopWithPhone()
  const author = await by(shop)
  const id = await author.send({
    recipients: [TO],
    body: 'Later',
    scheduled_at: '2090-01-01T00:00:00Z',
  })
  await since(author, shop)
  await query(`update sms_dispatch set due_at = now() where message = $1`, [id])
  // false while the server's own sweep runs, which may have begun before the text was due
  while (!(await sweepQueue(server.services.store.forEverybody('command'), ONLINE_SECONDS)));
  const { body } = await shop.phone.call('POST', '/api/devices/claim', { limit: 50 })
  return (body.items ?? []).some((item: { id: string }) => item.id === id)
}
