import type { Store } from '../../../src/engine/collections/catalog.ts'
import { loadCampaign } from '../../../src/gateway/campaigns/campaign.ts'
import {
  readCampaignChange,
  readNewCampaign,
} from '../../../src/gateway/campaigns/campaign-body.ts'
import { makeCampaignJobs } from '../../../src/gateway/campaigns/campaign-jobs.ts'
import { changeCampaign } from '../../../src/gateway/campaigns/change-campaign.ts'
import { createCampaign } from '../../../src/gateway/campaigns/create-campaign.ts'
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
} from '../../../src/gateway/campaigns/pause-resume-cancel.ts'
import { repeatIfDue } from '../../../src/gateway/campaigns/plan-next-run.ts'
import { readRepetition, readTimes } from '../../../src/gateway/campaigns/repetition.ts'
import { endUnfinishedTexts } from '../../../src/gateway/messages/queue/fail-after-restore.ts'
import { openAcceptor } from '../../../src/gateway/messages/send/store-offers.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { makeWorker } from '../../../src/platform/jobs/job-worker.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'
import { permitOf } from '../../support/database/permits.ts'

// Two nodes on one database, whose clock the tests set, work at the same time.

const fixture = await openLineFixture()
const { rows, user } = fixture
const config = readConfig({})
const nodeOf = (store: Store) => {
  const services = {
    store,
    config,
    extensions: collectExtensions(config),
    acceptor: openAcceptor(store, config),
  }
  const worker = makeWorker(
    store.db,
    [makeCampaignJobs(() => services)],
    createLogger({ logLevel: 'silent' }),
  )
  return { ...services, worker }
}
const [one, two] = [nodeOf(fixture.stores[0]), nodeOf(fixture.stores[1])]
const workAt = async (at: string) => {
  await fixture.at(at)
  await rows('update _jobs set due_at = least(due_at, clock.now())')
  await Promise.all([one.worker.drain(), two.worker.drain()])
}

beforeEach(async () => {
  await fixture.reset()
  await rows('delete from campaigns')
  await fixture.liveIn('Europe/Berlin')
  await fixture.at('2027-01-01T00:00:00Z')
})

const make = async (body: object) => {
  const wanted = readNewCampaign({ body: 'Hi', recipients: ['+4977001'], ...body }, new Date())
  return (await createCampaign(one, permitOf(user, 'campaign'), wanted, null)).id
}
const create = (repeat: object, body: object = {}) => make({ repeat, ...body })
const runs = async (id: string) =>
  (await rows('select scheduled_at from campaigns where run_of = $1 order by 1', [id])).map(
    ([at]) => String(at).replace(':00.000Z', ''),
  )
const stateOf = async (id: string) =>
  (await rows('select status, scheduled_at, runs, error from campaigns where id = $1', [id]))[0]

// 02:00 to 03:00 does not exist in Berlin on 28 March 2027, and comes twice on the two days in October.
const FIXED = ['30 2 * * *', '30 2,23 * * *', '0 8 * * *']
test.each([
  ['2027-03-27', ['28 01:00', '28 01:00 28 21:30', '28 06:00'], ''],
  [
    '2026-10-24',
    ['25 00:30', '25 00:30 25 22:30', '25 07:00'],
    '25 00:00 25 00:30 25 01:00 25 01:30',
  ],
  [
    '2027-10-30',
    ['31 00:30', '31 00:30 31 22:30', '31 07:00'],
    '31 00:00 31 00:30 31 01:00 31 01:30',
  ],
])(
  'when summer time changes on the day after %s, fixed times run once and steps at each match: $1',
  async (eve, fixed, stepped) => {
    const start = Date.parse(`${eve}T22:45Z`)
    await fixture.at(new Date(start).toISOString())
    const expected = [...fixed, stepped]
    const made = []
    for (const cron of [...FIXED, '*/30 2 * * *']) made.push(await create({ cron }))
    for (let half = 0; half <= 47; half++)
      await workAt(new Date(start + 900_000 + half * 1_800_000).toISOString())
    for (const [i, id] of made.entries())
      expect((await runs(id)).map((at) => at.slice(8)).join(' ')).toBe(expected[i])
    const texts = await rows('select count(*)::int from sms_messages')
    expect(texts).toEqual([[expected.join(' ').trim().split(/ +/).length / 2]])
  },
)

const EVERY_DAY = { cron: '0 8 * * *', time_zone: 'UTC' }

test('a run whose creation fails is created once by a later try', async () => {
  const id = await create(EVERY_DAY)
  await workAt('2027-01-01T07:59:59Z')
  await one.store.db.script(`create function killed() returns trigger language plpgsql as $$ begin raise 'killed'; end $$;
    create trigger killed before insert on campaigns for each row when (new.run_of <> '') execute function killed()`)
  await fixture.at('2027-01-01T08:00Z')
  const read = async () => (await loadCampaign(one.store.db, id))!
  await expect(repeatIfDue(one, await read())).rejects.toThrow('killed')
  expect([await stateOf(id), await runs(id)]).toEqual([
    ['repeating', '2027-01-01 08:00:00.000Z', 0, ''],
    [],
  ])
  await one.store.db.script('drop function killed cascade')
  await Promise.all([one, two, one, two].map(async (node) => repeatIfDue(node, await read())))
  expect([await stateOf(id), await runs(id)]).toEqual([
    ['repeating', '2027-01-02 08:00:00.000Z', 1, ''],
    ['2027-01-01 08:00'],
  ])
})

test.each([
  ['skip', '2027-01-04T07:00Z', [], '2027-01-04 08:00:00.000Z'],
  ['once', '2027-01-04T07:00Z', ['2027-01-04 07:00'], '2027-01-04 08:00:00.000Z'],
  // less than 5 minutes late
  ['skip', '2027-01-01T08:04Z', ['2027-01-01 08:00'], '2027-01-02 08:00:00.000Z'],
  ['skip', '2027-01-04T08:04Z', ['2027-01-04 08:00'], '2027-01-05 08:00:00.000Z'],
])(
  'with missed "%s" and a return at %s, the runs are $2 and the next is at $3',
  async (missed, back, expected, next) => {
    const id = await create({ ...EVERY_DAY, missed }, { expires_at: '2027-01-01T09:00:00Z' })
    await workAt('2027-01-01T07:00Z')
    await workAt(back)
    expect(await runs(id)).toEqual(expected)
    expect((await stateOf(id))![1]).toBe(next)
    const late = `expires_at::timestamptz - scheduled_at::timestamptz <> '1 hour'`
    expect(await rows(`select 1 from campaigns where ${late}`)).toEqual([])
  },
)

test('a repeat with the latest possible expires_at keeps running', async () => {
  const id = await create(EVERY_DAY, { expires_at: '9999-12-31T23:59:59.999Z' })
  for (const day of [1, 2]) await workAt(`2027-01-0${day}T08:00Z`)
  expect(await runs(id)).toEqual(['2027-01-01 08:00', '2027-01-02 08:00'])
  expect(await rows('select distinct expires_at from campaigns')).toEqual([
    ['9999-12-31 23:59:59.999Z'],
  ])
})

test("each run goes to the group's members of that day, and a refused run does not stop the repeat", async () => {
  const group = 'repeatgroup0000'
  const member = `insert into contacts (id, "user", phone, groups, opted_out) values (pb_new_id(), $1, $2, $3, $4)`
  const join = (phone: string, optedOut = false) => rows(member, [user, phone, [group], optedOut])
  await rows(`insert into contact_groups (id, "user", name) values ($2, $1, 'G')`, [user, group])
  await join('+4977001')
  const members = { recipients: [], group_ids: [group] }
  const id = await create({ ...EVERY_DAY, until: '2027-01-04T12:00:00Z' }, members)
  await workAt('2027-01-01T08:00Z')
  await join('+4977002')
  await join('+4977003', true)
  await workAt('2027-01-02T08:00Z')
  await rows('update users set monthly_quota = 3')
  await workAt('2027-01-03T08:00Z')
  await rows('update users set monthly_quota = 0')
  await workAt('2027-01-04T08:00Z')
  await workAt('2027-01-05T08:00Z')
  const made =
    'select recipients_count, status, error from campaigns where run_of = $1 order by scheduled_at'
  expect(await rows(made, [id])).toEqual([
    [1, 'sending', ''],
    [2, 'sending', ''],
    [0, 'failed', 'Monthly message quota exceeded'],
    [2, 'sending', ''],
  ])
  expect(await stateOf(id)).toEqual(['done', '2027-01-04 08:00:00.000Z', 4, ''])
})

test('a run whose groups were deleted fails without an audience', async () => {
  const id = await create(EVERY_DAY)
  await rows(`update campaigns set recipients = '[]' where id = $1`, [id])
  await workAt('2027-01-01T08:00Z')
  expect(await rows('select status, error from campaigns where run_of = $1', [id])).toEqual([
    ['failed', 'The audience has nobody to send to'],
  ])
})

test('a repeat that is changed or paused before its chosen start still begins there', async () => {
  const body = { scheduled_at: '2027-01-06T12:00:00Z' }
  const [id, paused] = [await create(EVERY_DAY, body), await create(EVERY_DAY, body)]
  const change = (given: object) =>
    changeCampaign(two, permitOf(user, 'campaign'), id, readCampaignChange(given, new Date()))
  const firstRun = async () => (await stateOf(id))![1]
  await change({ repeat: { ...EVERY_DAY, cron: '0 13 * * *' } })
  expect(await firstRun()).toBe('2027-01-06 13:00:00.000Z')
  await change({ repeat: EVERY_DAY })
  expect(await firstRun()).toBe('2027-01-07 08:00:00.000Z')
  await pauseCampaign(one, permitOf(user, 'campaign'), paused)
  await resumeCampaign(one, permitOf(user, 'campaign'), paused)
  await workAt('2027-01-06T12:00Z')
  expect([await runs(id), await runs(paused)]).toEqual([[], []])
  await workAt('2027-01-07T08:00Z')
  expect([await runs(id), await runs(paused)]).toEqual([['2027-01-07 08:00'], ['2027-01-07 08:00']])
  await change({ repeat: { ...EVERY_DAY, cron: '0 9 * * *' } })
  expect(await firstRun()).toBe('2027-01-07 09:00:00.000Z')
  await change({ scheduled_at: '2027-02-01T00:00:00Z' })
  await change({ repeat: EVERY_DAY })
  expect(await firstRun()).toBe('2027-02-01 08:00:00.000Z')
})

test('a repeat can be paused, changed, resumed, restored and canceled', async () => {
  const id = await create(EVERY_DAY)
  const plain = await make({})
  const change = (of: string, repeat: object) =>
    changeCampaign(two, permitOf(user, 'campaign'), of, readCampaignChange({ repeat }, new Date()))
  await expect(change(plain, EVERY_DAY)).rejects.toThrow('repeat can be changed only')
  await workAt('2027-01-01T08:00Z')
  await pauseCampaign(one, permitOf(user, 'campaign'), id)
  await workAt('2027-01-02T08:00Z')
  expect((await stateOf(id))![0]).toBe('paused')
  await resumeCampaign(two, permitOf(user, 'campaign'), id)
  expect(await stateOf(id)).toEqual(['repeating', '2027-01-03 08:00:00.000Z', 1, ''])
  await change(id, { ...EVERY_DAY, cron: '0 9 * * *', until: '2027-01-04' })
  await workAt('2027-01-03T09:00Z')
  expect([await stateOf(id), await runs(id)]).toEqual([
    ['done', '2027-01-03 09:00:00.000Z', 2, ''],
    ['2027-01-01 08:00', '2027-01-03 09:00'],
  ])
  const other = await create(EVERY_DAY)
  await workAt('2027-01-04T08:00Z')
  await endUnfinishedTexts(one.store.db)
  expect((await stateOf(other))![0]).toBe('paused')
  await resumeCampaign(one, permitOf(user, 'campaign'), other)
  await workAt('2027-01-05T08:00Z')
  expect(await cancelCampaign(one, permitOf(user, 'campaign'), other)).toMatchObject({
    status: 'canceled',
  })
  const states = await rows(
    'select status from campaigns where run_of = $1 order by scheduled_at',
    [other],
  )
  expect(states).toEqual([['failed'], ['sending']])
})

const wordsTo = async (campaign: string) =>
  (
    await rows(
      `select m.body from sms_messages m join campaigns c on c.batch_id = m.batch_id
      where c.run_of = $1 order by c.scheduled_at`,
      [campaign],
    )
  ).map(([body]) => body)

test('a repeat whose words change sends the new words from its next run on', async () => {
  const id = await create(EVERY_DAY)
  await workAt('2027-01-01T08:00Z')
  const change = readCampaignChange({ body: 'Soup' }, new Date())
  await changeCampaign(two, permitOf(user, 'campaign'), id, change)
  expect(await wordsTo(id)).toEqual(['Hi'])
  await workAt('2027-01-02T08:00Z')
  expect(await wordsTo(id)).toEqual(['Hi', 'Soup'])
})

test('a canceled repeat makes no further run, and its last run can be canceled', async () => {
  const id = await create(EVERY_DAY)
  await workAt('2027-01-01T08:00Z')
  await cancelCampaign(one, permitOf(user, 'campaign'), id)
  const run = String((await rows('select id from campaigns where run_of = $1', [id]))[0]![0])
  await cancelCampaign(two, permitOf(user, 'campaign'), run)
  await workAt('2027-01-02T08:00Z')
  await workAt('2027-01-03T08:00Z')
  expect(await runs(id)).toEqual(['2027-01-01 08:00'])
  const texts = `select m.status, m.error_message from sms_messages m
    join campaigns c on c.batch_id = m.batch_id where c.run_of = $1`
  expect(await rows(texts, [id])).toEqual([['failed', 'Canceled']])
  expect(await rows(`select from sms_dispatch where "user" = $1`, [user])).toEqual([])
})

test('a request for the times of a repeat gets five of them, or as many as it asks for up to 100', async () => {
  const read = (more: object) =>
    readTimes(one.store, user, readRepetition({ repeat: EVERY_DAY, ...more }, new Date(0)))
  expect((await read({})).times).toHaveLength(5)
  const { times } = await read({ count: 100, scheduled_at: '2027-03-01T00:00:00Z' })
  expect(times).toHaveLength(100)
  expect([times[0], times[31]]).toEqual(['2027-03-01 08:00:00.000Z', '2027-04-01 08:00:00.000Z'])
  expect(() => readRepetition({ repeat: EVERY_DAY, count: 101 }, new Date(0))).toThrow('count')
})

test('the times of a repeat name the months that are too short for its day', async () => {
  const read = (cron: string) =>
    readTimes(one.store, user, readRepetition({ repeat: { ...EVERY_DAY, cron } }, new Date(0)))
  expect(await read('0 8 31 * *')).toMatchObject({ skipped_months: [2, 4, 6, 9, 11] })
  const last = await read('0 8 L * *')
  expect(last.skipped_months).toEqual([])
  expect(last.times.slice(0, 3)).toEqual([
    '1970-01-31 08:00:00.000Z',
    '1970-02-28 08:00:00.000Z',
    '1970-03-31 08:00:00.000Z',
  ])
})

test('an account has at most 20 repeats', async () => {
  const made = await Promise.allSettled(Array.from({ length: 22 }, () => create(EVERY_DAY)))
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
})

test.each([
  [{ cron: 'often' }, 'repeat.cron must be five fields of numbers'],
  [{ cron: '*/4 * * * *' }, 'repeat.cron must leave at least 5 minutes'],
  [{ cron: '0,58 0,23 * * *' }, 'repeat.cron must leave at least 5 minutes'],
  [{ cron: '0 0 31 2 *' }, 'repeat.cron names no future time'],
  [{ ...EVERY_DAY, until: '2020-01-01' }, 'repeat.cron names no future time'],
  [{ ...EVERY_DAY, time_zone: 'Mars/Base' }, 'repeat.time_zone must be the name of a time zone'],
])('a repeat of %j is refused: $1', async (repeat, message) => {
  await expect(create(repeat)).rejects.toThrow(message)
})
