import type { Db } from '../../../src/platform/db/open.ts'
import { watchStatements } from '../../support/database/watch-statements.ts'
import {
  startWriteTestServer,
  type WriteTestServer,
} from '../../support/server/write-test-server.ts'

let shop: WriteTestServer
const PASSWORD = 'secret12345'
/** Whether it is the database of a request: of its caller, or of signing in. Jobs have others. */
const isOfRequest = (db: Db) => Boolean(db.ticket) || db === shop.server.services.store.signIn.db

beforeAll(async () => {
  shop = await startWriteTestServer()
  const ann = {
    id: 'workerann000001',
    email: 'ann@example.com',
    password: PASSWORD,
    passwordConfirm: PASSWORD,
  }
  await shop.ask('', 'POST', 'collections/workers/records', ann)
  await shop.signIn('ann', 'workers', 'ann@example.com', PASSWORD)
  await note('POST', '', { id: 'note00000000001' })
})

const tool = (body: object) =>
  shop.ask('ann', 'POST', 'collections/tools/records', { name: 'saw', ...body })
const note = (method: string, path: string, body?: object) =>
  shop.ask(
    'ann',
    method,
    `collections/notes/records${path}`,
    body && { worker: 'workerann000001', ...body },
  )

test.each([
  ['a create under a rule, with a relation', () => note('POST', '', { text: 'x' }), 1],
  ['an update', () => note('PATCH', '/note00000000001', { text: 'y' }), 2],
  [
    'an update with a modifier that a rule reads',
    () => note('PATCH', '/note00000000001', { 'worker+': [] }),
    3,
  ],
  [
    'a create refused by the database: asked why, and the sign-in proved',
    () => tool({ shelf: 'nope' }),
    3,
  ],
  ['a delete', () => note('DELETE', '/note00000000001'), 1],
] as const)('%s takes $2 statement(s)', async (_, write, count) => {
  const sent = await watchStatements(['query', 'lookUp'], write)
  expect(sent.filter(({ db }) => !db.inTransaction && isOfRequest(db))).toHaveLength(count)
})

test('a create with a password tests the create rule in one statement, before the hash', async () => {
  const fields = [
    { name: 'shelf', type: 'text' },
    { name: 'key', type: 'password', cost: 4 },
  ]
  const rule = '@collection.shelves.label ?= shelf'
  const lockers = { name: 'lockers', type: 'base', fields, createRule: rule }
  const made = await shop.ask('super', 'POST', 'collections', lockers)
  expect(made.status).toBe(200)
  await shop.ask('super', 'POST', 'collections/shelves/records', { label: 'left' })
  const create = async (shelf: string) => {
    const sent = await watchStatements(['query'], async () => {
      const answer = await shop.ask('ann', 'POST', 'collections/lockers/records', {
        shelf,
        key: PASSWORD,
      })
      expect(answer.status).toBe(shelf === 'left' ? 200 : 400)
    })
    return sent.map(({ text }) => text).filter((text) => text.includes('"shelves"'))
  }
  const [tested, ...more] = await create('left')
  expect([tested, more]).toEqual([expect.not.stringContaining('insert into'), []])
  expect(await create('right')).toHaveLength(1)
})
