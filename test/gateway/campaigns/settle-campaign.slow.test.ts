import { type CampaignServices, findCampaign } from '../../../src/gateway/campaigns/campaign.ts'
import {
  readCampaignChange,
  readNewCampaign,
} from '../../../src/gateway/campaigns/campaign-body.ts'
import { makeCampaignJobs } from '../../../src/gateway/campaigns/campaign-jobs.ts'
import { changeCampaign } from '../../../src/gateway/campaigns/change-campaign.ts'
import { createCampaign } from '../../../src/gateway/campaigns/create-campaign.ts'
import { endCampaign } from '../../../src/gateway/campaigns/end-campaign.ts'
import { holdMessages } from '../../../src/gateway/campaigns/hold-texts.ts'
import { loadCampaignState } from '../../../src/gateway/campaigns/load-campaign-state.ts'
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
} from '../../../src/gateway/campaigns/pause-resume-cancel.ts'
import { settleCampaign } from '../../../src/gateway/campaigns/settle-campaign.ts'
import { storeMessages } from '../../../src/gateway/campaigns/store-campaign-texts.ts'
import { endUnfinishedTexts } from '../../../src/gateway/messages/queue/fail-after-restore.ts'
import { type Acceptor, openAcceptor } from '../../../src/gateway/messages/send/store-offers.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { makeWorker } from '../../../src/platform/jobs/job-worker.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openCatalogStore } from '../../support/database/open.ts'
import { permitOf } from '../../support/database/permits.ts'
import { openPreparedDb } from '../../support/server/start.ts'

// Campaigns without a server: no sweeper, so that every step is taken here. Each test has a user of its own.

const numbers = (count: number) => Array.from({ length: count }, (_, i) => `+4977${i + 10_000}`)
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

let user = ''
let users = 0

const db = await openPreparedDb()
const store = await openCatalogStore(db)
const node = () => {
  const config = readConfig({})
  const extensions = collectExtensions(config)
  return { store, config, extensions, acceptor: openAcceptor(store, config) }
}
const one = node()
const two = node()
const accepting = (add: Acceptor['add']) => ({ ...one, acceptor: { add } as Acceptor })

beforeEach(async () => {
  user = `campaignuser${++users + 100}`
  await db.query(
    `insert into users (id, email, "tokenKey") values ($1, $1 || '@example.com', $1)`,
    [user],
  )
})
const create = async (body: object) =>
  (
    await createCampaign(
      one,
      permitOf(user, 'campaign'),
      readNewCampaign({ body: 'Sale', ...body }, new Date()),
      null,
    )
  ).id
const created = async (body: object) => {
  const id = await create(body)
  await settleCampaign(one, id)
  return id
}
const change = (services: CampaignServices, id: string, body: object) =>
  changeCampaign(services, permitOf(user, 'campaign'), id, readCampaignChange(body, new Date()))
const waiting = async (): Promise<string[]> =>
  (
    await db.query(
      'select m."to" from sms_dispatch d join sms_messages m on m.id = d.message where m."user" = $1 order by 1',
      [user],
    )
  ).rows.map(([to]) => String(to))
const used = async () =>
  Number(
    (await db.query('select coalesce(sum(used), 0) from sms_usage where "user" = $1', [user]))
      .rows[0]![0],
  )
const quota = (messages: number) =>
  db.query('update users set monthly_quota = $1 where id = $2', [messages, user])

test('a campaign to 2,500 people is stored once, in chunks that share one batch_id', async () => {
  const id = await created({ recipients: numbers(2_500), scheduled_at: inAnHour() })
  expect(await waiting()).toEqual(numbers(2_500))
  const { rows } = await db.query('select distinct batch_id from sms_messages where "user" = $1', [
    user,
  ])
  expect(rows).toEqual([[(await loadCampaignState(db, user, id)).batch_id]])
  const keys = await db.query(`select key from sms_idempotency where "user" = $1 order by key`, [
    user,
  ])
  expect(keys.rows.flat()).toEqual([0, 1, 2, 3, 4].map((chunk) => ` campaign:${id}:1:${chunk}`))
  await pauseCampaign(one, permitOf(user, 'campaign'), id)
  const held = await db.query(
    `select count(*) from sms_dispatch where due_at = 'infinity' and "user" = $1`,
    [user],
  )
  expect(Number(held.rows[0]![0])).toBe(2_500)
  await resumeCampaign(one, permitOf(user, 'campaign'), id)
  await cancelCampaign(one, permitOf(user, 'campaign'), id)
  expect([await waiting(), await used()]).toEqual([[], 0])
})

test('two nodes that settle the same campaign at once store its messages once', async () => {
  const id = await create({ recipients: numbers(1_200), scheduled_at: inAnHour() })
  await Promise.all([settleCampaign(one, id), settleCampaign(two, id), settleCampaign(two, id)])
  expect(await waiting()).toEqual(numbers(1_200))
  expect(await used()).toBe(1_200)
})

test('after a crash between two chunks another node stores the rest, even a day later', async () => {
  const id = await create({ recipients: numbers(1_200), scheduled_at: inAnHour() })
  const campaign = await findCampaign(db, user, id)
  const crash = new AbortController()
  const killed = accepting((offer) => one.acceptor.add(offer).finally(() => crash.abort()))
  expect(await storeMessages(killed, campaign, crash.signal)).toBe(false)
  expect(await waiting()).toHaveLength(500)
  await db.query(`update sms_idempotency set created = now() - interval '2 days'`)
  await settleCampaign(two, id)
  expect(await waiting()).toEqual(numbers(1_200))
})

test('after a crash between any two steps of a change, only the new text is stored, once', async () => {
  const id = await created({ recipients: numbers(6), scheduled_at: inAnHour() })
  const interrupted = accepting(() => Promise.reject(new Error('killed')))
  // the intent is stored, its messages are not
  await expect(change(interrupted, id, { body: 'New', recipients: numbers(8) })).rejects.toThrow(
    'killed',
  )
  expect(await waiting()).toEqual([])
  // stored, but not noted
  await storeMessages(one, await findCampaign(db, user, id))
  expect((await findCampaign(db, user, id)).settled).toBe(false)
  await settleCampaign(two, id)
  expect(await waiting()).toEqual(numbers(8))
  const bodies = await db.query(
    'select distinct m.body from sms_dispatch d join sms_messages m on m.id = d.message where m."user" = $1',
    [user],
  )
  expect(bodies.rows).toEqual([['New']])
  expect(await used()).toBe(8)
})

test('replaced texts that never left are deleted, and their quota is refunded', async () => {
  await quota(10)
  const id = await created({ recipients: numbers(10), scheduled_at: inAnHour() })
  for (const body of ['One', 'Two', 'Three']) await change(one, id, { body })
  const stored = await db.query(
    'select distinct body, count(*) from sms_messages where "user" = $1 group by 1',
    [user],
  )
  expect(stored.rows).toEqual([['Three', 10]])
  expect(
    (await db.query('select count(*) from sms_events where "user" = $1', [user])).rows,
  ).toEqual([[0]])
  expect(await used()).toBe(10)
})

test('a change does not send the new text to a person who already got the old text', async () => {
  const id = await created({ recipients: numbers(3), scheduled_at: inAnHour() })
  // killed after the intent was stored: meanwhile the old text becomes due and one is sent
  const messages = store.catalog.find('sms_messages')!.id
  const extensions = new Map([
    [messages, { beforeDelete: () => Promise.reject(new Error('killed')) }],
  ])
  await expect(change({ ...one, extensions }, id, { body: 'New' })).rejects.toThrow('killed')
  await db.query(
    `with gone as (
    delete from sms_dispatch where message = (select id from sms_messages where "to" = $1 and "user" = $2) returning message
  ) update sms_messages m set status = 'sent' from gone where m.id = gone.message`,
    [numbers(1)[0], user],
  )
  await settleCampaign(two, id)
  expect(await waiting()).toEqual(numbers(3).slice(1))
})

test('a cancellation while another node stores the campaign leaves no waiting messages', async () => {
  const id = await create({ recipients: numbers(1_200), scheduled_at: inAnHour() })
  const campaign = await findCampaign(db, user, id)
  let chunks = 0
  const slow = accepting(async (offer) => {
    // between the look at the campaign and the commit of its second chunk
    if (++chunks === 2) await cancelCampaign(two, permitOf(user, 'campaign'), id)
    return one.acceptor.add(offer)
  })
  expect(await storeMessages(slow, campaign)).toBe(false)
  expect([await waiting(), await used()]).toEqual([[], 0])
  expect(await loadCampaignState(db, user, id)).toMatchObject({ status: 'canceled' })
})

test('a campaign larger than the remaining quota is refused as a whole', async () => {
  await quota(1_000)
  await expect(create({ recipients: numbers(1_001) })).rejects.toMatchObject({ status: 402 })
  expect((await db.query('select 1 from campaigns where "user" = $1', [user])).rows).toEqual([])
})

test('a campaign fails with the quota as its error when the quota runs out between two chunks', async () => {
  const id = await create({ recipients: numbers(1_200), scheduled_at: inAnHour() })
  let chunks = 0
  const spent = accepting(async (offer) => {
    if (++chunks === 2) await quota(800)
    return one.acceptor.add(offer)
  })
  await settleCampaign(spent, id)
  const ended = { status: 'failed', error: 'Monthly message quota exceeded' }
  expect(await loadCampaignState(db, user, id)).toMatchObject(ended)
  expect([await waiting(), await used()]).toEqual([[], 0])
})

test('a change above the quota is refused, and replaced texts free their quota', async () => {
  await quota(10)
  const id = await created({ recipients: numbers(8), scheduled_at: inAnHour() })
  await expect(change(one, id, { recipients: numbers(11) })).rejects.toMatchObject({ status: 402 })
  expect(await waiting()).toEqual(numbers(8))
  await change(one, id, { recipients: numbers(10) })
  expect([await waiting(), await used()]).toEqual([numbers(10), 10])
})

test('a late hold does not hold a campaign that was resumed', async () => {
  const id = await created({ recipients: numbers(3), scheduled_at: inAnHour() })
  await pauseCampaign(one, permitOf(user, 'campaign'), id)
  const paused = await findCampaign(db, user, id)
  await resumeCampaign(two, permitOf(user, 'campaign'), id)
  expect(await holdMessages(one.store, paused)).toBe(false)
  expect(
    (await db.query(`select 1 from sms_dispatch where due_at = 'infinity' and "user" = $1`, [user]))
      .rows,
  ).toEqual([])
})

test('a late end does not end a campaign that was changed', async () => {
  const id = await created({ recipients: numbers(3), scheduled_at: inAnHour() })
  const before = await findCampaign(db, user, id)
  await change(one, id, { body: 'New' })
  expect(await endCampaign(two, before, 'failed', { error: 'late' })).toBe(false)
})

test("the campaign's job stores it after a crash, starts it on time and ends it", async () => {
  const job = async () =>
    (
      await db.query(
        `select round(extract(epoch from due_at - now()))::int from _jobs where kind = 'campaign' and key = $1`,
        [id],
      )
    ).rows
  const work = async () => {
    await db.query('update _jobs set due_at = now() where key = $1', [id])
    await makeWorker(
      db,
      [makeCampaignJobs(() => two)],
      createLogger({ logLevel: 'silent' }),
    ).drain()
  }
  const id = await create({ recipients: numbers(3), scheduled_at: inAnHour() })
  expect(await job()).toEqual([[0]])
  await work()
  expect(await waiting()).toEqual(numbers(3))
  expect((await job())[0]?.[0]).toBeCloseTo(3600, -2)
  await pauseCampaign(one, permitOf(user, 'campaign'), id)
  await work()
  expect(await job()).toEqual([])
  await resumeCampaign(one, permitOf(user, 'campaign'), id)
  expect(await job()).toEqual([[5]])
  await db.query(`update campaigns set scheduled_at = pb_text(now()) where id = $1`, [id])
  await work()
  expect([(await loadCampaignState(db, user, id)).status, await job()]).toEqual(['sending', [[1]]])
  await db.query(`update sms_messages set status = 'sent' where "user" = $1`, [user])
  await work()
  expect([(await loadCampaignState(db, user, id)).status, await job()]).toEqual(['done', []])
})

test('after a restore an unfinished campaign is failed and stores no more messages', async () => {
  const id = await create({ recipients: numbers(3), scheduled_at: inAnHour() })
  await endUnfinishedTexts(db)
  await settleCampaign(one, id)
  expect(await waiting()).toEqual([])
  expect(await loadCampaignState(db, user, id)).toMatchObject({ status: 'failed' })
})
