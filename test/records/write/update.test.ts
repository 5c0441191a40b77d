import { beforeEach, expect, test } from 'vitest'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const shop = stopAfterAll(await startWriteTestServer())
for (const i of [1, 2, 3])
  await shop.ask('', 'POST', 'collections/shelves/records', { id: `shelf000000000${i}` })

const TOOL = 'collections/tools/records/hammer000000001'
const patch = (body: unknown, who = '') => shop.ask(who, 'PATCH', TOOL, body)

beforeEach(async () => {
  await shop.ask('super', 'DELETE', TOOL)
  await shop.ask('super', 'POST', 'collections/tools/records', {
    id: 'hammer000000001',
    name: 'hammer',
    count: 5,
    kinds: ['hand'],
    kind: 'hand',
    spares: ['shelf0000000001', 'shelf0000000002'],
    secret: 'kept',
    serial: 'SERIAL',
  })
})

test.each([
  ['subtract text', { 'count-': '2' }, { count: 3 }],
  ['not a number', { 'count+': 'x' }, { count: 5 }],
  ['shortest key first', { 'count-': 2, count: 1, 'count+': 5 }, { count: 4 }],
  ['remove what is not there', { 'spares-': 'nope' }, { spares: ['shelf0000000001', 'shelf0000000002'] }],
  ['prepend to a single one keeps it', { '+kind': 'power' }, { kind: 'hand' }],
  ['autogenerate', { 'name:autogenerate': 'abc' }, { name: 'abc' }],
] as const)('%s', async (_, body, values) => {
  const answer = await patch(body)
  expect(answer).toMatchObject({ status: 200, body: values })
  expect((await shop.ask('', 'GET', TOOL)).body).toEqual(answer.body)
})

test.each([
  ['another id', { id: 'hammer000000002' }, { id: { code: 'validation_pk_change' } }],
  ['appended record missing', { 'spares+': 'nope' }, { spares: { code: 'validation_missing_rel_records' } }],
  ['out of range by a modifier', { 'count+': 100 }, { count: { code: 'validation_max_number_constraint' } }],
] as const)('%s', async (_, body, data) => {
  expect(await patch(body)).toMatchObject({
    status: 400,
    body: { message: 'Failed to update record.', data },
  })
})

test('a point is changed by another point, not by the order of its parts', async () => {
  const rule = '@request.body.at:changed = false'
  const fields = [{ name: 'at', type: 'geoPoint' }]
  const rules = { createRule: rule, updateRule: rule, viewRule: '' }
  await shop.ask('super', 'POST', 'collections', { name: 'points', fields, ...rules })
  const made = await shop.ask('', 'POST', 'collections/points/records', { at: { lon: 1, lat: 2 } })
  expect(made.status).toBe(200)
  const record = `collections/points/records/${made.body.id}`
  expect((await shop.ask('', 'PATCH', record, { at: { lat: 2, lon: 1 } })).status).toBe(200)
  expect((await shop.ask('', 'PATCH', record, { at: { lon: 2, lat: 1 } })).status).toBe(404)
  await shop.ask('super', 'DELETE', 'collections/points')
})

test('hidden values survive what others do', async () => {
  await patch({ secret: 'stolen', 'secret:autogenerate': 'x' })
  expect((await shop.ask('super', 'GET', TOOL)).body.secret).toBe('kept')
})

test('nothing to change still sets the date of the update', async () => {
  const before = (await shop.ask('', 'GET', TOOL)).body
  await new Promise((resolve) => setTimeout(resolve, 5))
  const { body } = await patch({})
  expect(body.updated > before.updated).toBe(true)
  expect(body.created).toBe(before.created)
})

test('a password stays unless a new one comes', async () => {
  const hash = async () => {
    const { rows } = await shop.server.services.store.db.query('select key from tools where id = $1', [
      'hammer000000001',
    ])
    return rows[0]![0]
  }
  await patch({ key: 'first key' })
  const first = await hash()
  expect(first).toMatch(/^\$2b\$04\$/)
  await patch({ name: 'mallet' })
  expect(await hash()).toBe(first)
  await patch({ key: '' })
  expect(await hash()).toBe('')
})

test('fifty at once lose no step', async () => {
  const { status } = await patch({ count: 0 })
  expect(status).toBe(200)
  const answers = await Promise.all(Array.from({ length: 50 }, () => patch({ 'count+': 1 })))
  expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  expect((await shop.ask('', 'GET', TOOL)).body.count).toBe(50)
})

test('what another program writes in between is kept', async () => {
  const { db } = shop.server.services.store
  await db.query(`update tools set maker = 'psql' where id = 'hammer000000001'`)
  expect((await patch({ name: 'mallet' })).body).toMatchObject({ maker: 'psql', name: 'mallet' })
})

test.each([
  ['unknown', 'collections/tools/records/nope'],
  ['of a worker who is none', 'collections/workers/records/nope'],
] as const)('%s record: 404', async (_, path) => {
  expect((await shop.ask('', 'PATCH', path, {})).status).toBe(404)
})
