import { makeOwnObjects } from '../../../src/engine/collections/own-indexes.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { endOldMessages } from '../../../src/gateway/retention/end-old-messages.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { makeRandomId } from '../../../src/platform/tools/random.ts'
import { briefFaults } from '../../support/database/brief.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

// Random writes of all kinds: after each, every text has exactly one brief row, with its own values.

const STEPS = 150
const LIST = '/api/collections/sms_messages/records'
const STATUSES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed', 'received']

const site = await startServerWithDevices()
const { superuser: root, query } = site
const { store } = site.server.services
const extensions = collectExtensions({ webhookAllowPrivate: false })
await must(root, 'PATCH', '/api/settings', {
  batch: { enabled: true, maxRequests: 50, timeout: 3 },
})

interface Account {
  readonly user: Client
  readonly phone: Client
}

async function makeAccount(): Promise<Account> {
  const user = await site.makeUser()
  return { user, phone: await site.pair(user) }
}

const accounts = [await makeAccount(), await makeAccount(), await makeAccount()]

// a generator of its own, so that a failure can be repeated: the seed is in the title
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
let state = seed
function random(below: number): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  return (state >>> 8) % below
}
const one = <T>(of: readonly T[]): T => of[random(of.length)]!

const someIds = async (count: number) =>
  (
    await query('select id from sms_messages order by md5(id || $1) limit $2', [
      String(random(1e6)),
      count,
    ])
  ).map(([id]) => String(id))

async function claimAndReport({ phone }: Account, ends: readonly string[]) {
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
  const statuses = items.map(({ id, attempt }: { id: string; attempt: number }) => ({
    id,
    attempt,
    status: one(ends),
  }))
  if (statuses.length > 0) await must(phone, 'POST', '/api/devices/report', { items: statuses })
}

const WRITES: Readonly<Record<string, (account: Account) => Promise<unknown>>> = {
  send: ({ user }) =>
    must(user, 'POST', '/api/sms/send', { recipients: [`+49170${random(1e7)}`], body: 'Hi' }),
  'send to many, later': ({ user }) =>
    must(user, 'POST', '/api/sms/send', {
      recipients: Array.from({ length: 5 }, () => `+4917${1e8 + random(1e8)}`),
      body: 'Hi',
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    }),
  claim: ({ phone }) => must(phone, 'POST', '/api/devices/claim', { limit: 3 }),
  report: (account) => claimAndReport(account, ['sent', 'delivered', 'failed']),
  receive: ({ phone }) => site.hear(phone, [[`+4917${1e8 + random(1e8)}`, 'Hello']]),
  sweep: () => sweepQueue(store, 600),
  async cancel({ user }) {
    for (const id of await someIds(3)) await user.call('POST', `/api/sms/messages/${id}/cancel`)
  },
  async "a superuser's edit"() {
    const user = one(accounts).user.id
    for (const id of await someIds(2))
      await must(root, 'PATCH', `${LIST}/${id}`, {
        status: one(STATUSES),
        user,
        message_type: 'incoming',
      })
  },
  async 'a batch of creates, changes and deletes'({ user }) {
    const [changed, deleted] = await someIds(2)
    const body = { status: one(STATUSES), message_type: 'outgoing', user: user.id }
    const requests = [
      { method: 'POST', url: LIST, body },
      ...(changed
        ? [{ method: 'PATCH', url: `${LIST}/${changed}`, body: { status: one(STATUSES) } }]
        : []),
      ...(deleted ? [{ method: 'DELETE', url: `${LIST}/${deleted}` }] : []),
    ]
    await must(root, 'POST', '/api/batch', { requests })
  },
  async 'a batch that fails'({ user }) {
    const body = { status: 'sent', message_type: 'outgoing', user: user.id }
    const requests = [
      { method: 'POST', url: LIST, body },
      { method: 'PATCH', url: `${LIST}/${'x'.repeat(15)}`, body },
    ]
    const answer = await root.call('POST', '/api/batch', { requests })
    expect(answer.status).toBe(400)
  },
  async delete() {
    for (const id of await someIds(2)) await must(root, 'DELETE', `${LIST}/${id}`)
  },
  'a statement that changes all columns of many rows': async () =>
    query(
      `update sms_messages set status = $1, "user" = $2, message_type = $3,
        created = pb_text(now() - $4 * interval '1 minute') where id = any($5)`,
      [
        one(STATUSES),
        one(accounts).user.id,
        one(['incoming', 'outgoing']),
        random(1e5),
        await someIds(7),
      ],
    ),
  'a statement that changes an id': async () =>
    query('update sms_messages set id = $1 where id = any($2)', [makeRandomId(), await someIds(1)]),
  'retention, redacting': () => endOldMessages(store, extensions, { mode: 'redact', days: 40 }),
  'retention, deleting': () => endOldMessages(store, extensions, { mode: 'delete', days: 50 }),
  async 'a user deleted'() {
    if (random(4) > 0) return
    const [old] = accounts.splice(random(accounts.length), 1)
    await must(root, 'DELETE', `/api/collections/users/records/${old!.user.id}`)
    accounts.push(await makeAccount())
  },
  async 'a device deleted'(account) {
    if (random(4) > 0) return
    await must(account.user, 'DELETE', `/api/collections/devices/records/${account.phone.id}`)
    accounts[accounts.indexOf(account)] = {
      user: account.user,
      phone: await site.pair(account.user),
    }
  },
}

test(`the brief rows agree with the messages after each of ${STEPS} random writes (SEED=${seed})`, async () => {
  let compared = 0
  for (let step = 0; step < STEPS; step++) {
    const name =
      step < Object.keys(WRITES).length ? Object.keys(WRITES)[step]! : one(Object.keys(WRITES))
    await WRITES[name]!(one(accounts))
    expect(await briefFaults(store.db), `step ${step}: ${name}`).toEqual([])
    compared += Number((await query('select count(*) from sms_messages'))[0]![0])
  }
  expect(compared).toBeGreaterThan(STEPS * 2)
})

test('the brief rows agree with the messages after 60 concurrent writes', async () => {
  const names = ['send', 'report', 'claim', 'receive', "a superuser's edit", 'delete', 'sweep']
  const works = Array.from({ length: 60 }, () =>
    WRITES[one(names)]!(one(accounts)).catch(() => undefined),
  )
  await Promise.all(works)
  expect(await briefFaults(store.db)).toEqual([])
})

test('truncating sms_messages empties the brief rows', async () => {
  await query('truncate sms_messages')
  expect(await query('select count(*) from sms_messages_brief')).toEqual([[0]])
})

test('a server start rebuilds the brief rows when their trigger is missing', async () => {
  await must(one(accounts).user, 'POST', '/api/sms/send', {
    recipients: ['+4917012345'],
    body: 'Hi',
  })
  await query('drop trigger sms_messages_brief on sms_messages')
  await query(`update sms_messages set status = 'delivered'`)
  expect(await briefFaults(store.db)).toHaveLength(1)
  await store.db.transaction(makeOwnObjects)
  expect(await briefFaults(store.db)).toEqual([])
})
