import { expect, onTestFinished, test } from 'vitest'
import { ANN, GROUPS, startServerWithUsers } from '../../support/server/server-with-users.ts'

const MEMBERS = 10_000

test('a group of 10,000 members is one send, all of it or nothing', async () => {
  const server = await startServerWithUsers({ SMS_MAX_RECIPIENTS: String(MEMBERS) })
  onTestFinished(() => server.stop())
  await server.rows(
    `insert into contacts (id, "user", name, phone, groups, created, updated)
      select 'member' || n, $1, 'Member ' || n, '+4917' || (1000000 + n), array[$2], pb_text(now()), pb_text(now())
      from generate_series(1, ${MEMBERS}) n`,
    [ANN.id, GROUPS.empty],
  )
  const answer = await server.send({ recipients: [], group_ids: [GROUPS.empty], body: 'To all of you' })
  expect(answer.status).toBe(200)
  expect(answer.body.recipients_count).toBe(MEMBERS)
  const stored = await server.rows(
    'select count(*), count(distinct "to") from sms_messages where batch_id = $1',
    [answer.body.batch_id],
  )
  expect(stored).toEqual([[MEMBERS, MEMBERS]])
  const queued = await server.rows('select device, count(*) from sms_dispatch group by 1')
  expect(queued.map(([, count]) => count)).toEqual([MEMBERS / 2, MEMBERS / 2])

  const more = await server.send({
    recipients: ['+4930123'],
    group_ids: [GROUPS.empty],
    body: 'One too many',
  })
  expect(more.body.error).toBe('too_many_recipients')
})
