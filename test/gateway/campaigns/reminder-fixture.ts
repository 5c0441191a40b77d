import { readNewCampaign } from '../../../src/gateway/campaigns/campaign-body.ts'
import { makeCampaignJobs } from '../../../src/gateway/campaigns/campaign-jobs.ts'
import { createCampaign } from '../../../src/gateway/campaigns/create-campaign.ts'
import { previewReminder } from '../../../src/gateway/campaigns/plan-reminder-campaign.ts'
import { openAcceptor } from '../../../src/gateway/messages/send/store-offers.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { makeWorker } from '../../../src/platform/jobs/job-worker.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { create } from '../../support/collection-store.ts'
import { openLineFixture } from '../../support/database/line-fixture.ts'
import { permitOf } from '../../support/database/permits.ts'
import { until } from '../../support/until.ts'

/** Bookings of a collection that a superuser made. */
const BOOKINGS = {
  name: 'bookings',
  type: 'base',
  listRule: 'owner = @request.auth.id && hidden != true',
  fields: [
    { name: 'owner', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
    { name: 'start', type: 'date' },
    { name: 'phone', type: 'text' },
    { name: 'contact', type: 'relation', collectionId: 'contacts', maxSelect: 1 },
    { name: 'room', type: 'text' },
    { name: 'price', type: 'number' },
    { name: 'secret', type: 'text', hidden: true },
    { name: 'hidden', type: 'bool' },
  ],
  indexes: ['create index bookings_start on bookings (start)'],
}

/** Two nodes on one database, whose clock the tests set, and a collection of bookings. */
export async function openReminderFixture(env: Record<string, string> = {}) {
  const fixture = await openLineFixture()
  const { rows, user } = fixture
  const config = readConfig(env)
  await create(fixture.store, BOOKINGS)
  await until('the collection', () => fixture.stores[1].catalog.find('bookings') !== undefined)
  const nodeOf = (store: (typeof fixture.stores)[number]) => {
    const services = {
      store,
      config,
      extensions: collectExtensions(config),
      acceptor: openAcceptor(store, config),
    }
    const jobs = [makeCampaignJobs(() => services)]
    return { ...services, worker: makeWorker(store.db, jobs, createLogger({ logLevel: 'silent' })) }
  }
  const nodes = [nodeOf(fixture.stores[0]), nodeOf(fixture.stores[1])] as const
  const permit = permitOf(user, 'campaign')
  const read = (reminder: object, body: object) =>
    readNewCampaign(
      {
        body: 'Until {{start:time}}',
        hold_seconds: 0,
        ...body,
        reminder: { collection: 'bookings', field: 'start', phone: 'phone', ...reminder },
      },
      new Date(),
    )
  return {
    ...fixture,
    nodes,
    permit,
    async begin(at: string) {
      await fixture.reset()
      for (const table of [
        'campaigns',
        'campaign_recipients',
        'bookings',
        'contact_fields',
        'sms_idempotency',
      ])
        await rows(`delete from ${table}`)
      await fixture.liveIn('Europe/Berlin')
      await rows(`update user_settings set country = 'DE'`)
      await fixture.at(at)
    },
    /** Adds a booking. */
    async book(id: string, start: string, more: object = {}) {
      const values = { id, owner: user, start: pbDate(start), phone: '+4915112340001', ...more }
      const names = Object.keys(values).map((name) => `"${name}"`)
      await rows(
        `insert into bookings (${names}) values (${names.map((_, i) => `$${i + 1}`)})`,
        Object.values(values),
      )
    },
    /** Moves a booking. */
    move: (id: string, start: string) =>
      rows('update bookings set start = $2 where id = $1', [id, pbDate(start)]),
    /** Makes a reminder. Answers its id. */
    async make(reminder: object, body: object = {}) {
      const [one] = nodes
      return (await createCampaign(one, permit, read(reminder, body), null)).id
    },
    async preview(reminder: object, body: object = {}) {
      const wanted = read(reminder, body)
      return (await previewReminder(nodes[0], permit, wanted, wanted.reminder!)).reminders
    },
    /** Both nodes run their jobs at this time. */
    async workAt(at: string) {
      await fixture.at(at)
      await rows('update _jobs set due_at = least(due_at, clock.now())')
      await Promise.all(nodes.map(({ worker }) => worker.drain()))
    },
    /** The rows of a reminder, by their occurrence: the number, and the text or why there is none. */
    async told(id: string) {
      const found = await rows(
        `select split_part(r.occurrence, ' ', 1), r."to", coalesce(nullif(r.reason, ''), m.status || ': ' || m.body)
         from campaign_recipients r left join sms_messages m on m.id = r.message
         where r.campaign = $1 order by r.created, 1, 3`,
        [id],
      )
      return found.map((row) => row.join(' '))
    },
    async stateOf(id: string) {
      const [found] = await rows('select status, error from campaigns where id = $1', [id])
      return found!.join(' ').trim()
    },
  }
}

const pbDate = (iso: string) => (iso === '' ? '' : new Date(iso).toISOString().replace('T', ' '))
