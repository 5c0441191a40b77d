import { parseNewCollection } from '../../../src/engine/collections/definition/read-collection.ts'
import { saveCollection } from '../../../src/engine/collections/save-collection.ts'
import { admission } from '../../../src/platform/limits/shared-limits.ts'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'

const PASSWORD = 'secret12345'
const ANN = 'workerann000001'
const TOOL = 'hammer000000001'
const TOOLS = 'collections/tools/records'

const shop = await startWriteTestServer()
const { db } = shop.server.services.store
await shop.server.services.settings.save({ batch: { enabled: true, maxRequests: 50, timeout: 60 } })
const ann = { id: ANN, email: 'ann@example.com', password: PASSWORD, passwordConfirm: PASSWORD }
await shop.ask('', 'POST', 'collections/workers/records', ann)
await shop.signIn('ann', 'workers', 'ann@example.com', PASSWORD)
await shop.ask('', 'POST', TOOLS, { id: TOOL, name: 'hammer' })

const patch = (body: object, query = '') =>
  shop.ask('ann', 'PATCH', `${TOOLS}/${TOOL}${query}`, body)
const tool = async () => (await shop.ask('', 'GET', `${TOOLS}/${TOOL}`)).body
const statusesOf = (answers: readonly { status: number }[]) => [
  ...new Set(answers.map((one) => one.status)),
]

test('concurrent increments of one record, alone, expanded and in batches, are all counted', async () => {
  const url = `/api/${TOOLS}/${TOOL}`
  const requests = Array(2).fill({ method: 'PATCH', url, body: { 'count+': 1 } })
  const [alone, expanded, batches] = await Promise.all([
    Promise.all(Array.from({ length: 15 }, () => patch({ 'count+': 1 }))),
    Promise.all(Array.from({ length: 10 }, () => patch({ 'count+': 1 }, '?expand=shelf'))),
    Promise.all(Array.from({ length: 10 }, () => shop.ask('ann', 'POST', 'batch', { requests }))),
  ])
  expect(statusesOf([...alone, ...expanded, ...batches])).toEqual([200])
  expect((await tool()).count).toBe(45)
})

test('a file uploaded in one of many concurrent updates is stored once', async () => {
  const form = new FormData()
  form.set('photo', new File(['a photo'], 'photo.txt'))
  form.set('name', 'with a photo')
  const others = Array.from({ length: 20 }, () => patch({ 'count-': 1 }))
  const { status, body } = await shop.ask('ann', 'PATCH', `${TOOLS}/${TOOL}`, form)
  expect(statusesOf([{ status }, ...(await Promise.all(others))])).toEqual([200])
  expect(await tool()).toMatchObject({ photo: body.photo, count: 25 })
  expect((await db.query('select from _files where record = $1', [TOOL])).count).toBe(1)
})

test('writes with an old token stop succeeding when the password changes', async () => {
  const note = () =>
    shop.ask('ann', 'POST', 'collections/notes/records', { worker: ANN, text: 'x' })
  const statuses: number[] = []
  const write = async () => {
    for (let last = 200; last === 200; ) {
      last = (await note()).status
      statuses.push(last)
    }
  }
  const writers = [write(), write(), write()]
  const passwords = { password: 'another12345', passwordConfirm: 'another12345' }
  const changed = await shop.ask('super', 'PATCH', `collections/workers/records/${ANN}`, passwords)
  expect(changed.status).toBe(200)
  expect((await note()).status).toBe(400)
  await Promise.all(writers)
  // a guest may not write notes: whoever wrote with the old token was refused by the rule
  expect(statusesOf(statuses.map((status) => ({ status }))).filter((one) => one !== 200)).toEqual([
    400,
  ])
  expect(statuses.filter((one) => one === 400)).toHaveLength(3)
  expect((await db.query('select from notes')).count).toBe(
    statuses.filter((one) => one === 200).length,
  )
})

const LARGE = 3 << 20

const fields = [{ name: 'manual', type: 'editor', maxSize: 2 * LARGE }]
const [manual] = parseNewCollection({ name: 'x', fields }).fields
await shop.server.services.store.change((draft) => {
  const tools = draft.catalog.find('tools')!
  return saveCollection(draft, { ...tools, fields: [...tools.fields, manual!] })
})

test('without free memory large reads and writes are refused, but stored writes are answered', async () => {
  const manual = 'x'.repeat(LARGE)
  const { body: made } = await shop.ask('', 'POST', TOOLS, { name: 'drill', manual })
  const path = `${TOOLS}/${made.id}`
  const share = admission.memory.open('other')
  share.force(500 << 20)
  try {
    const changed = await shop.ask('', 'PATCH', path, { 'count+': 1 })
    expect([changed.status, changed.body.count]).toEqual([200, 1])
    expect((await shop.ask('', 'GET', path)).status).toBe(503)
    const url = `/api/${TOOLS}/${made.id}?expand=shelf`
    const batch = { requests: [{ method: 'PATCH', url, body: { name: 'lost' } }] }
    expect((await shop.ask('super', 'POST', 'batch', batch)).status).toBe(503)
  } finally {
    share.close()
  }
  expect((await db.query(`select from tools where name = 'lost'`)).count).toBe(0)
  expect((await shop.ask('', 'GET', path)).body.count).toBe(1)
})
