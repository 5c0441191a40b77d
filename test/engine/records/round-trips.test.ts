import type { Db } from '../../../src/platform/db/open.ts'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
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

test('a create rule that ends while a password waits to be hashed refuses the record', async () => {
  const fields = [
    { name: 'label', type: 'text' },
    { name: 'key', type: 'password', cost: 4 },
  ]
  const createRule = '@collection.tickets.label ?= label'
  await shop.ask('super', 'POST', 'collections', {
    name: 'tickets',
    type: 'base',
    fields: [fields[0]],
  })
  await shop.ask('super', 'POST', 'collections', {
    name: 'lockers',
    type: 'base',
    fields,
    createRule,
  })
  const ticket = await shop.ask('super', 'POST', 'collections/tickets/records', { label: 'left' })
  const create = () =>
    shop.ask('ann', 'POST', 'collections/lockers/records', { label: 'left', key: PASSWORD })
  expect((await create()).status).toBe(200)

  const leave: (() => void)[] = []
  for (
    let place = admission.passwords.tryEnter('server');
    place;
    place = admission.passwords.tryEnter('server')
  )
    leave.push(place)
  const late = create()
  await expect.poll(() => admission.passwords.use.waiting).toBe(1)
  await shop.ask('super', 'DELETE', `collections/tickets/records/${ticket.body.id}`)
  for (const each of leave) each()
  expect((await late).status).toBe(400)
})
