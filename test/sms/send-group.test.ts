import { expect, onTestFinished, test } from 'vitest'
import { ANN, GROUPS, openShop } from '../support/shop.ts'

const MEMBERS = 10_000

test('a group of 10,000 members is one send, all of it or nothing', async () => {
  const shop = await openShop({ SMS_MAX_RECIPIENTS: String(MEMBERS) })
  onTestFinished(() => shop.stop())
  await shop.rows(
    `insert into contacts (id, "user", name, phone, groups, created, updated)
      select 'member' || n, $1, 'Member ' || n, '+4917' || (1000000 + n), array[$2], pb_text(now()), pb_text(now())
      from generate_series(1, ${MEMBERS}) n`,
    [ANN.id, GROUPS.empty],
  )
  const answer = await shop.send({ recipients: [], group_ids: [GROUPS.empty], body: 'To all of you' })
  expect(answer.status).toBe(200)
  expect(answer.body.recipients_count).toBe(MEMBERS)
  const stored = await shop.rows(
    'select count(*), count(distinct "to") from sms_messages where batch_id = $1',
    [answer.body.batch_id],
  )
  expect(stored).toEqual([[MEMBERS, MEMBERS]])
  const queued = await shop.rows('select device, count(*) from sms_dispatch group by 1')
  expect(queued.map(([, count]) => count)).toEqual([MEMBERS / 2, MEMBERS / 2])

  const more = await shop.send({ recipients: ['+4930123'], group_ids: [GROUPS.empty], body: 'One too many' })
  expect(more.body.error).toBe('too_many_recipients')
})
