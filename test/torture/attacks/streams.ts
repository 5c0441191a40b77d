import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type AttackRun, addContacts, asUser, byGuest, byUser } from './attack.ts'
import { flood, send } from './sockets.ts'

// Realtime: streams, topics, filters of topics, and who does not read.

const topic = (collection: string, query: object) =>
  `${collection}/*?options=${encodeURIComponent(JSON.stringify({ query }))}`

/** As many of these topics as a guest's body may hold. */
function fitting(topics: readonly string[]): string[] {
  let bytes = 1_000
  return topics.filter((one) => {
    bytes += one.length + 3
    return bytes < 64_000
  })
}

/** A filter of a shape that no other number has. */
const shape = (n: number) =>
  [...n.toString(2)].map((bit) => (bit === '1' ? 'created<@now' : 'id!=@now')).join('||')

/** Opens a stream; answers it with its client id, or undefined when the server refuses. */
function openStream(
  run: AttackRun,
): Promise<{ stream: IncomingMessage; clientId: string } | undefined> {
  const { url, address: localAddress } = run
  return new Promise((resolve) => {
    const asking = get(`${url}/api/realtime`, { agent: false, localAddress }, (stream) => {
      stream.on('error', () => {})
      run.count(stream.statusCode ?? 0)
      if (stream.statusCode !== 200) {
        stream.resume()
        return resolve(undefined)
      }
      stream.once('data', (data) => {
        const [, clientId = ''] = /"clientId":"([^"]*)"/.exec(String(data)) ?? []
        resolve({ stream, clientId })
      })
      stream.once('close', () => resolve(undefined))
    })
    asking.once('error', () => {
      run.count('no stream')
      resolve(undefined)
    })
  })
}

/** A stream with these topics, read or not, until the server ends it. */
async function subscribe(
  run: AttackRun,
  subscriptions: readonly string[],
  isRead = true,
): Promise<IncomingMessage | undefined> {
  const opened = await openStream(run)
  if (!opened) return undefined
  const { stream, clientId } = opened
  if (isRead) stream.resume()
  else stream.pause()
  const body = JSON.stringify({ clientId, subscriptions })
  run.count(await send(run, { path: '/api/realtime', body }))
  return stream
}

/** So many streams at once, then something else meanwhile. */
async function subscribeAll(
  run: AttackRun,
  count: number,
  topicsOf: (i: number) => string[],
  isRead = true,
) {
  for (let i = 0; i < count && !run.isOver(); i++) await subscribe(run, topicsOf(i), isRead)
}

/** Makes events for the topics: changes a contact of the user, or adds boards as a guest, again and again. */
async function change(run: AttackRun, title = 'news'): Promise<void> {
  const { token, contact } = run.prepared
  while (!run.isOver()) {
    const body = JSON.stringify(token ? { name: `${Math.random()}` } : { title })
    const path = token
      ? `/api/collections/contacts/records/${contact}`
      : '/api/collections/boards/records'
    run.count(await send(run, { method: token ? 'PATCH' : 'POST', path, body }))
    await sleep(100)
  }
}

const COLLECTIONS = ['boards', 'sms_messages', 'contacts', 'sms_events', 'devices']
/** Topics with filters of as many shapes, others for each stream. */
const filteredTopics = (count: number, stream: number) =>
  Array.from({ length: count }, (_, k) =>
    topic(COLLECTIONS[k % 5]!, { filter: shape(stream * count + k + 1) }),
  )
/** A condition over what a user has, over and over: 1,000 contacts make 10^9 rows of it. */
const SLOW = 'user.contacts_via_user.user.contacts_via_user.user.contacts_via_user'
const SLOW_FIELDS = ['name', 'phone', 'id', 'created', 'updated', 'groups']
const withContacts = asUser(async (user, target) => {
  await addContacts(target, user, 1_000)
  const { body } = await user.call('GET', '/api/collections/contacts/records?perPage=1')
  return { contact: body.items[0].id }
})

export const streams: readonly Attack[] = [
  byGuest('topics with filters of many shapes', { isShort: true }, async (run) => {
    await subscribeAll(run, 100, (i) => fitting(filteredTopics(450, i)))
    await change(run)
  }),
  byGuest('large topics on many streams', (run) =>
    subscribeAll(run, 1_000, (i) =>
      Array.from({ length: 24 }, (_, k) => `boards/${i}-${k}?options=${'x'.repeat(2_400)}`),
    ),
  ),
  byGuest('streams opened and closed', async (run) => {
    const reconnect = async () => {
      while (!run.isOver()) (await subscribe(run, ['boards/*', 'sms_messages/*']))?.destroy()
    }
    await Promise.all(Array.from({ length: 30 }, reconnect))
  }),
  byGuest('streams that nobody reads', async (run) => {
    await subscribeAll(run, 150, () => ['boards/*'], false)
    await change(run, 'x'.repeat(4_000))
  }),
  byGuest('nonsense in subscriptions', (run) =>
    flood(run, 8, (turn) => {
      const ids = ['\0', 'a'.repeat(255), '', '\ud800', '../..', "' or 1=1"]
      const topics = [
        '*',
        '/',
        'boards/*?options=[',
        'boards/*?options=%7B',
        '\0',
        'boards/*?',
        '@ts',
      ]
      const body = { clientId: ids[turn % ids.length], subscriptions: topics }
      return { path: '/api/realtime', body: JSON.stringify(body) }
    }),
  ),
  byUser('slow filters of topics', { prepare: withContacts }, async (run) => {
    await subscribeAll(run, SLOW_FIELDS.length, (i) => [
      topic('contacts', { filter: `${SLOW}.${SLOW_FIELDS[i]} ?~ "zz%z"` }),
    ])
    await change(run)
  }),
  byUser('expand bombs in events', { prepare: withContacts }, async (run) => {
    const expand = 'user.contacts_via_user.user.contacts_via_user'
    await subscribeAll(run, 10, () => [topic('contacts', { expand })], false)
    await change(run)
  }),
  byUser('1,000 filtered topics of a user', { prepare: withContacts }, async (run) => {
    await subscribeAll(run, 5, (i) => filteredTopics(1_000, i))
    await change(run)
  }),
  byUser('1,000 large topics on each stream of a user', (run) =>
    subscribeAll(run, 200, (i) =>
      Array.from({ length: 1_000 }, (_, k) => `contacts/${i}-${k}?options=${'x'.repeat(2_400)}`),
    ),
  ),
]
