import type { Store } from '../../../../src/engine/collections/catalog.ts'
import { makeAccountSender, type Sender } from '../../../../src/gateway/base/make-sender.ts'
import { requirePermit } from '../../../../src/gateway/base/permissions.ts'
import type { Offer } from '../../../../src/gateway/messages/send/offer.ts'
import { PLAIN_OPTIONS } from '../../../../src/gateway/messages/send/send-options.ts'
import { openAcceptor } from '../../../../src/gateway/messages/send/store-offers.ts'
import { RetryLater } from '../../../../src/platform/api-errors.ts'
import { readConfig } from '../../../../src/platform/config.ts'
import { makeRandomId } from '../../../../src/platform/tools/random.ts'
import { openSendFixture } from '../../../support/database/send-fixture.ts'

const fixture = await openSendFixture(2)
const { db, sender } = fixture

const offer = (more: Partial<Offer> = {}): Offer => ({
  ...PLAIN_OPTIONS,
  permit: requirePermit(sender, 'send'),
  body: 'Hi',
  messages: [{ id: makeRandomId(), to: '+4911111', segments: 1 }],
  ...more,
})
const by = (other: Partial<Sender>) => ({ permit: requirePermit({ ...sender, ...other }, 'send') })
const outcome = (one: Offer) =>
  fixture.acceptor.add(one).then(
    (verdict) => verdict.outcome,
    (error: Error) => error.name,
  )
const isStored = async ({ messages }: Offer) =>
  (await db.query('select 1 from sms_messages where id = $1', [messages[0]!.id])).rows.length === 1

test('sends that arrive during a commit are committed together', async () => {
  const offers = Array.from({ length: 20 }, () => offer())
  const first = outcome(offers[0]!)
  await new Promise(setImmediate)
  await Promise.all([first, ...offers.slice(1).map(outcome)])
  const ids = offers.map(({ messages }) => messages[0]!.id)
  const { rows } = await db.query(
    'select count(*) from sms_messages where id = any($1) group by xmin',
    [ids],
  )
  expect(rows.map(([n]) => n).sort()).toEqual([1, 19])
})

test('each send of a group gets its own outcome', async () => {
  const group = [
    offer(),
    offer(by({ version: '1' })),
    offer(by({ key: { id: 'nosuchkey000000', version: '1' } })),
    offer({ device: 'nosuchdevice000' }),
    offer({ device: 'phone0000000002' }),
    offer(),
  ]
  expect(await Promise.all(group.map(outcome))).toEqual([
    'accepted',
    'stale',
    'stale',
    'device_not_found',
    'accepted',
    'accepted',
  ])
  expect(await Promise.all(group.map(isStored))).toEqual([true, false, false, false, true, true])
})

test('a send that the database refuses does not fail the rest of its group', async () => {
  const broken = offer({ expiresAt: 'no date' })
  const group = [offer(), offer(), broken, offer()]
  const outcomes = await Promise.all(group.map(outcome))
  expect(outcomes.filter((one) => one === 'accepted')).toHaveLength(3)
  expect(outcomes[2]).not.toBe('accepted')
  expect(await Promise.all(group.map(isStored))).toEqual([true, true, false, true])
})

test('a group that gets no connection in time is refused with 503 after one statement', async () => {
  let asked = 0
  const query = async () => {
    asked++
    throw new RetryLater(503, 5)
  }
  const acceptor = openAcceptor({ db: { pool: {}, query } } as unknown as Store, readConfig({}))
  const ends = await Promise.allSettled([offer(), offer(), offer()].map((one) => acceptor.add(one)))
  for (const end of ends) expect(end).toMatchObject({ reason: { status: 503 } })
  expect(asked).toBe(1)
})

test('a send with a message id that exists stores no message', async () => {
  const first = offer()
  expect(await outcome(first)).toBe('accepted')
  const again = offer({
    messages: [{ id: makeRandomId(), to: '+4922222', segments: 1 }, first.messages[0]!],
  })
  expect(await outcome(again)).not.toBe('accepted')
  expect(await isStored(again)).toBe(false)
})

test('a send by a user who does not exist leaves no row in sms_turns', async () => {
  expect(await outcome(offer(by({ user: 'nosuchuser00000' })))).toBe('stale')
  expect((await db.query(`select 1 from sms_turns where "user" = 'nosuchuser00000'`)).rows).toEqual(
    [],
  )
})

test('1,100 concurrent sends, more than one statement holds, are all accepted', async () => {
  const offers = Array.from({ length: 1100 }, () => offer())
  expect(new Set(await Promise.all(offers.map(outcome)))).toEqual(new Set(['accepted']))
})

test('a send ordered by an account is accepted after the account changed, but not once it is disabled', async () => {
  const { user } = sender
  const ordered = () => offer({ permit: requirePermit(makeAccountSender(user, user), 'send') })
  await db.query('update users set name = $2 where id = $1', [user, 'Another'])
  expect(await outcome(ordered())).toBe('accepted')
  await db.query(
    `insert into user_settings (id, "user", disabled) values ('settings0000000', $1, true)`,
    [user],
  )
  expect(await outcome(ordered())).toBe('stale')
  await db.query('delete from user_settings where "user" = $1', [user])
  const { rows } = await db.query('select xmin::text from users where id = $1', [user])
  Object.assign(sender, { version: String(rows[0]![0]) })
})

/** The device of a message. */
async function deviceOf({ messages }: Offer): Promise<unknown> {
  const { rows } = await db.query('select device from sms_messages where id = $1', [
    messages[0]!.id,
  ])
  return rows[0]![0]
}

test("sends in a group take turns, keep conversations' lines and update their last texts", async () => {
  const kept = 'phone0000000002'
  await db.query(
    `insert into conversations (id, "user", number, line, last_at)
    select 'conversation000', $1, '+4955555', l.id, '2099-01-01 00:00:00.000Z' from lines l where l.device = $2
    on conflict do nothing`,
    [sender.user, kept],
  )
  const message = (to: string) => ({ id: makeRandomId(), to, segments: 1 })
  const group = ['+4966661', '+4955555', '+4966662', '+4955555', '+4966663'].map((to) =>
    offer({ messages: [message(to)] }),
  )
  const outcomes = await Promise.all([...group, offer({ clientRef: 'a reference' })].map(outcome))
  expect(new Set(outcomes)).toEqual(new Set(['accepted']))
  const devices = await Promise.all(group.map(deviceOf))
  expect([devices[1], devices[3]]).toEqual([kept, kept])
  expect([devices[0] !== devices[2], devices[0] === devices[4]]).toEqual([true, true])
  const talk = await db.query(`select last_message from conversations where number = '+4955555'`)
  expect(talk.rows).toEqual([[group[3]!.messages[0]!.id]])
})

test('a refused send of a group stores no answer for its key, and refuses devices of other users', async () => {
  await db.query(
    `insert into devices (id, "user", name, enabled, last_seen, "tokenKey")
    values ('elsewhere000000', 'somebodyelse000', 'phone', true, '2099-01-01 00:00:00.000Z', 'elsewhere')`,
  )
  const named = { device: 'elsewhere000000' }
  const keyed = (key: string) => ({ idempotency: { key, fingerprint: key } })
  const group = [
    offer(keyed('first')),
    offer({ ...named, ...keyed('second') }),
    offer({ ...named, later: true, scheduledAt: '2090-01-01 00:00:00.000Z' }),
  ]
  expect(await Promise.all(group.map(outcome))).toEqual([
    'accepted',
    'device_not_found',
    'device_not_found',
  ])
  const { rows } = await db.query('select key from sms_idempotency where "user" = $1', [
    sender.user,
  ])
  expect(rows).toEqual([['first']])
})
