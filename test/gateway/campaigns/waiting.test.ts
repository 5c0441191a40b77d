import { deleteRecords } from '../../../src/engine/records/cascade.ts'
import { makeAccountSender } from '../../../src/gateway/base/make-sender.ts'
import { requirePermit } from '../../../src/gateway/base/permissions.ts'
import {
  readCampaignChange,
  readNewCampaign,
} from '../../../src/gateway/campaigns/campaign-body.ts'
import { changeCampaign } from '../../../src/gateway/campaigns/change-campaign.ts'
import { createCampaign } from '../../../src/gateway/campaigns/create-campaign.ts'
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
} from '../../../src/gateway/campaigns/pause-resume-cancel.ts'
import { settleCampaign } from '../../../src/gateway/campaigns/settle-campaign.ts'
import { cancelBatch } from '../../../src/gateway/messages/queue/cancel-messages.ts'
import { sweepQueue } from '../../../src/gateway/messages/queue/sweep-queue.ts'
import { type Acceptor, openAcceptor } from '../../../src/gateway/messages/send/store-offers.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'
import { permitOf } from '../../support/database/permits.ts'

// A campaign of which two texts are assigned, two wait for room and one for the end of quiet hours.

const PEOPLE = ['+4930001', '+4930002', '+4930003', '+4930004', '+81300005']

const config = readConfig({})
const extensions = collectExtensions(config)
let campaign: string
let batch: string
const fixture = await openLineFixture()
const { store, rows, claim, at, user } = fixture
const services = { store, config, extensions, acceptor: openAcceptor(store, config) }

const states = () =>
  rows(
    `select m.status, case m.status when 'pending' then m.waiting_for else '' end, count(*)::int
    from campaigns c join sms_messages m on m.batch_id = c.batch_id where c.id = $1 group by 1, 2 order by 1, 2`,
    [campaign],
  )
const WAITING = [
  ['assigned', '', 2],
  ['pending', 'quiet_hours', 1],
  ['pending', 'room', 2],
]

beforeEach(async () => {
  await fixture.reset()
  await rows('delete from campaigns')
  await rows('delete from line_use')
  await rows('delete from line_recipients')
  await fixture.lines('a1')
  await fixture.set('a1', 'daily_limit = 2, monthly_recipients = 2')
  // 21:59 in Berlin, 05:59 in Tokyo
  await at('2090-01-11T21:58:00+01:00')
  await fixture.liveIn('Europe/Berlin', '22:00', '08:00')
  const wanted = readNewCampaign(
    { body: 'Sale', recipients: PEOPLE, quiet_hours: true },
    new Date(),
  )
  const made = await createCampaign(services, permitOf(user, 'campaign'), wanted, null)
  campaign = made.id
  batch = made.batch_id
  await settleCampaign(services, campaign)
  await at('2090-01-11T21:59:00+01:00')
  await sweepQueue(store, 600)
  await rows(`update campaigns set status = 'sending'`)
  expect(await states()).toEqual(WAITING)
})

/** Nothing of it leaves any more, and the line has its room back. */
async function expectStopped() {
  await at('2090-01-11T21:59:30+01:00')
  await sweepQueue(store, 600)
  expect(await claim('a')).toEqual([])
  expect((await fixture.use()).counts).toEqual({ a1: [0, 0] })
  expect(await rows('select * from line_recipients')).toEqual([])
}

test('a pause holds all waiting messages, and a resume gives them lines again', async () => {
  await pauseCampaign(services, permitOf(user, 'campaign'), campaign)
  expect(await states()).toEqual([['pending', '', 5]])
  await expectStopped()
  await resumeCampaign(services, permitOf(user, 'campaign'), campaign)
  await sweepQueue(store, 600)
  expect(await states()).toEqual(WAITING)
})

test('canceling the campaign fails all waiting messages', async () => {
  await cancelCampaign(services, permitOf(user, 'campaign'), campaign)
  expect(await states()).toEqual([['failed', '', 5]])
  await expectStopped()
})

test("canceling the campaign's batch fails all waiting messages", async () => {
  await cancelBatch(store, requirePermit(makeAccountSender(user, campaign), 'cancel'), batch)
  await expectStopped()
})

test('a change replaces the waiting messages by new ones', async () => {
  await pauseCampaign(services, permitOf(user, 'campaign'), campaign)
  const change = readCampaignChange({ body: 'New' }, new Date())
  await changeCampaign(services, permitOf(user, 'campaign'), campaign, change)
  await expectStopped()
  await resumeCampaign(services, permitOf(user, 'campaign'), campaign)
  await sweepQueue(store, 600)
  expect(await states()).toEqual(WAITING)
  expect((await claim('a')).map(({ body }) => body)).toEqual(['New', 'New'])
})

test('deleting a campaign while its messages are being stored cancels them', async () => {
  const wanted = readNewCampaign({ body: 'Sale', recipients: PEOPLE }, new Date())
  const { id, batch_id } = await createCampaign(services, permitOf(user, 'campaign'), wanted, null)
  const accept: Acceptor['add'] = async (offer) => {
    await rows('delete from campaigns where id = $1', [id])
    return services.acceptor.add(offer)
  }
  await settleCampaign({ ...services, acceptor: { add: accept } as Acceptor }, id)
  expect(
    await rows('select distinct status, error_message from sms_messages where batch_id = $1', [
      batch_id,
    ]),
  ).toEqual([['failed', 'Canceled']])
})

test.each(['campaigns', 'sms_messages', 'devices', 'users'])(
  'deleting from %s stops the waiting messages',
  async (name) => {
    const { db, catalog } = store
    const where = name === 'users' ? `where id = '${user}'` : ''
    const ids = (await rows(`select id from ${name} ${where}`)).map(([id]) => String(id))
    await db.transaction((tx) =>
      deleteRecords({ db: tx, catalog }, extensions, catalog.find(name)!, ids),
    )
    await sweepQueue(store, 600)
    expect(await claim('a')).toEqual([])
  },
)
