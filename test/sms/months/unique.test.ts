import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startOf } from '../../../src/db/partitions/names.ts'
import { receiveTexts } from '../../../src/sms/inbound/receive.ts'
import { monthsAgo, withMonths } from '../../support/database/months.ts'
import {
  ANN,
  PHONES,
  type ServerWithUsers,
  startServerWithUsers,
} from '../../support/server/server-with-users.ts'

const WORDS = { out: ['STOP'], in: ['START'] }

// Ids and references are unique over all months, with the answers of a plain table.
describe.runIf(process.env.TEST_BACKEND === 'postgres')('over all months', () => {
  let server: ServerWithUsers
  let root: Record<string, string>
  let before: string
  beforeAll(async () => {
    server = await startServerWithUsers({ PARTITION: 'none' })
    const [[id]] = (await server.rows('select id from _superusers')) as [[string]]
    root = await server.signedIn('_superusers', id)
    before = startOf(await monthsAgo(server.store.db, 3))
  })
  afterAll(() => server.stop())

  const create = async (values: object) => {
    const response = await fetch(`${server.url}/api/collections/sms_messages/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...root },
      body: JSON.stringify({
        user: ANN.id,
        to: '+4911111',
        body: 'Hi',
        status: 'sent',
        message_type: 'outgoing',
        ...values,
      }),
    })
    return [response.status, await response.json()]
  }
  const age = (id: string) => server.rows('update sms_messages set created = $2 where id = $1', [id, before])
  const patch = async (id: string, values: object) => {
    const response = await fetch(`${server.url}/api/collections/sms_messages/records/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...root },
      body: JSON.stringify(values),
    })
    return [response.status, await response.json()]
  }

  const attempts = async (name: string) => {
    const [id, other] = [`${name}one`.padEnd(15, '0'), `${name}two`.padEnd(15, '0')]
    expect((await create({ id, client_ref: name }))[0]).toBe(200)
    await age(id)
    expect((await create({ id: other }))[0]).toBe(200)
    return [
      await create({ id }),
      await create({ id: `${name}six`.padEnd(15, '0'), client_ref: name }),
      await create({ id, client_ref: name }),
      await patch(other, { client_ref: name }),
    ]
  }

  test('ids and references are refused as on a plain table', async () => {
    const plain = await attempts('plain')
    expect(plain.map(([status]) => status)).toEqual([400, 400, 400, 400])
    await server.rows('delete from sms_messages')
    await withMonths(server.store, 5)
    const named = JSON.parse(JSON.stringify(await attempts('month')).replaceAll('month', 'plain'))
    expect(named).toEqual(plain)
  })

  test('of two that come at once in different months one is stored', async () => {
    const insert = (created: string) =>
      server.store.db.query(
        `insert into sms_messages (id, "user", client_ref, created) values ($1, $2, 'twins', $3)`,
        [`twin${created.slice(0, 7)}`, ANN.id, created],
      )
    const results = await Promise.allSettled([insert(before), insert('2999-01-01'), insert('2020-01-01')])
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await server.rows(`select count(*)::int from sms_messages where client_ref = 'twins'`)).toEqual([
      [1],
    ])
  })

  test('a text that is told again in another month is not stored again, others are', async () => {
    const device = { id: PHONES[0], user: ANN.id, phone: '+491' } as never
    const text = (body: string) => ({ from: '+4922222', body, receivedAt: Date.now() - 1000, sim: 0 })
    const [one, two] = [text('once'), text('new')]
    const [id] = await receiveTexts(server.store, device, [one], WORDS)
    await age(id!)
    const ids = await receiveTexts(server.store, device, [one, two], WORDS)
    expect(ids[0]).toBe(id)
    const stored = await server.rows(`select body from sms_messages where "from" = '+4922222' order by body`)
    expect(stored).toEqual([['new'], ['once']])
  })

  test('a send knows the reference of a message of another month', async () => {
    const body = { client_ref: 'known', recipients: ['+4911119'] }
    const first = await server.send(body)
    await age(first.body.id ?? first.body.messages?.[0]?.id)
    expect((await server.send(body)).body).toEqual(first.body)
  })

  test('the collection can be edited, and keeps its unique index', async () => {
    const url = `${server.url}/api/collections/sms_messages`
    const headers = { 'content-type': 'application/json', ...root }
    const { fields } = (await (await fetch(url, { headers })).json()) as { fields: object[] }
    const body = JSON.stringify({ fields: [...fields, { name: 'note', type: 'text' }] })
    const answer = await fetch(url, { method: 'PATCH', headers, body })
    expect([answer.status, answer.status === 200 || (await answer.text())]).toEqual([200, true])
    expect((await create({ id: 'withnote0000000', note: 'x', client_ref: 'month' }))[0]).toBe(400)
    expect((await create({ id: 'withnote0000000', note: 'x' }))[1]).toMatchObject({ note: 'x' })
  })
})
