import { admission } from '../../../src/admission/admission.ts'
import { saveCollection } from '../../../src/collections/catalog/save.ts'
import { readNew } from '../../../src/collections/definition/complete.ts'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'

const TOOLS = 'collections/tools/records'
const LARGE = 3 << 20

const shop = await startWriteTestServer()
const [manual] = readNew({
  name: 'x',
  fields: [{ name: 'manual', type: 'editor', maxSize: 2 * LARGE }],
}).fields
await shop.server.services.store.change((draft) => {
  const tools = draft.catalog.find('tools')!
  return saveCollection(draft, { ...tools, fields: [...tools.fields, manual!] })
})

const records = async (name: string) =>
  (await shop.server.services.store.db.query('select count(*)::int from tools where name = $1', [name])).rows

test('without memory nothing large is read or written, but what was written is answered', async () => {
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
  expect(await records('lost')).toEqual([[0]])
  expect((await shop.ask('', 'GET', path)).body.count).toBe(1)
})
