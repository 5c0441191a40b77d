import { findCampaign } from '../../../src/gateway/campaigns/campaign.ts'
import {
  readCampaignChange,
  readNewCampaign,
} from '../../../src/gateway/campaigns/campaign-body.ts'
import { changeCampaign } from '../../../src/gateway/campaigns/change-campaign.ts'
import { createCampaign } from '../../../src/gateway/campaigns/create-campaign.ts'
import {
  pauseCampaign,
  resumeCampaign,
} from '../../../src/gateway/campaigns/pause-resume-cancel.ts'
import { settleCampaign } from '../../../src/gateway/campaigns/settle-campaign.ts'
import { storeMessages } from '../../../src/gateway/campaigns/store-campaign-texts.ts'
import { openAcceptor } from '../../../src/gateway/messages/send/store-offers.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { openCatalogStore } from '../../support/database/open.ts'
import { permitOf } from '../../support/database/permits.ts'
import { openPreparedDb } from '../../support/server/start.ts'
import { until } from '../../support/until.ts'

// A list of 10,000 rows on two servers, which stop at any step.

const ROWS = 10_000
const db = await openPreparedDb()
const store = await openCatalogStore(db)
const node = () => {
  const config = readConfig({ MONTHLY_QUOTA: '20000' })
  return {
    store,
    config,
    extensions: collectExtensions(config),
    acceptor: openAcceptor(store, config),
  }
}
const [one, two] = [node(), node()]
const user = 'campaignuser001'
await db.query(`insert into users (id, email, "tokenKey") values ($1, 'a@example.com', $1)`, [user])
const permit = permitOf(user, 'campaign')
const list = Array.from({ length: ROWS }, (_, i) => ({
  to: `+4977${i + 100_000}`,
  values: { name: `Name ${i}`, time: `${i} pm` },
}))

const count = async (where: string) =>
  Number(
    (await db.query(`select count(*) from sms_messages where "user" = $1 and ${where}`, [user]))
      .rows[0]![0],
  )
const rows = async (where: string) =>
  Number(
    (
      await db.query(`select count(*) from campaign_recipients where "user" = $1 and ${where}`, [
        user,
      ])
    ).rows[0]![0],
  )

test('a list of 10,000 rows is paused, corrected and resumed: each row gets one text', async () => {
  const wanted = readNewCampaign(
    { body: 'Old {{name}}, {{time}}', list, hold_seconds: 0 },
    new Date(),
  )
  const before = performance.now()
  const { id } = await createCampaign(one, permit, wanted, null)
  expect(await rows(`message = '' and reason = ''`)).toBe(ROWS)
  // a server stops after some portions, and two others go on at once
  const crash = new AbortController()
  const storing = storeMessages(one, await findCampaign(db, user, id), crash.signal)
  await until('some texts', async () => (await count('true')) > 0)
  crash.abort()
  expect(await storing).toBe(false)
  expect(await count('true')).toBeLessThan(ROWS)
  await db.query(`update sms_idempotency set created = now() - interval '2 days'`)
  await Promise.all([settleCampaign(one, id), settleCampaign(two, id)])
  expect([await count('true'), await rows(`message <> ''`)]).toEqual([ROWS, ROWS])
  expect(performance.now() - before).toBeLessThan(120_000)

  await db.query(
    `with ended as (
      delete from sms_dispatch where message in (
        select d.message from sms_dispatch d where d."user" = $1 order by d.message limit 20
      ) returning message
    ) update sms_messages set status = 'sent', sent_at = pb_text(now()) where id in (select message from ended)`,
    [user],
  )
  await db.query(`update campaigns set status = 'sending' where id = $1`, [id])
  await pauseCampaign(one, permit, id)
  const change = readCampaignChange({ body: 'New {{time}}, {{name}}' }, new Date())
  await changeCampaign(two, permit, id, change)
  const stopped = new AbortController()
  const resuming = resumeCampaign(one, permit, id)
  const other = settleCampaign(two, id, stopped.signal)
  await until('some new texts', async () => (await count(`body like 'New %'`)) > 0)
  // a person is erased meanwhile
  await db.query(
    `delete from campaign_recipients where "user" = $1 and "to" = $2 and message = ''`,
    [user, list.at(-1)!.to],
  )
  stopped.abort()
  await Promise.all([resuming, other])
  await settleCampaign(one, id)
  const left = await rows('true')
  expect(await count(`body like 'Old %'`)).toBe(20)
  expect(await count(`body like 'New %'`)).toBe(left - 20)
  const twice = await db.query(
    `select count(*) from (select "to" from sms_messages where "user" = $1 group by 1 having count(*) > 1) t`,
    [user],
  )
  expect(Number(twice.rows[0]![0])).toBe(0)
  const { rows: wrong } = await db.query(
    `select r."to" from campaign_recipients r join sms_messages m on m.id = r.message
    where r."user" = $1 and (m."to" <> r."to" or strpos(m.body, r.values ->> 'name') = 0) limit 3`,
    [user],
  )
  expect(wrong).toEqual([])
}, 600_000)
