import { base, relation, text } from '../../support/server/schema.ts'
import { signIn as signInAs } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'
import { ask } from './realtime-server.ts'
import { TestListener } from './test-listener.ts'

// Each expectation is what PocketBase 0.40.4 sent.

const SCHEMA = [
  base('tops', [text('title')], {
    listRule: 'mids_via_top.title ?= "m1"',
    viewRule: 'mids_via_top.items_via_mid.title ?= "i1"',
  }),
  base(
    'mids',
    [text('title'), relation('top', 'tops'), relation('also', 'tops', { maxSelect: 9 })],
    {
      listRule: 'top.title = "t1" || also.title ?= "t2"',
      viewRule: 'top != ""',
    },
  ),
  base('items', [text('title'), relation('mid', 'mids', { cascadeDelete: true })], {
    listRule: 'mid.top.title = "t1"',
  }),
  base(
    'nodes',
    [text('title'), relation('parent', 'nodes'), relation('peers', 'nodes', { maxSelect: 9 })],
    {
      listRule: 'parent.title = "n1" || peers.title ?= "n1"',
      viewRule: 'nodes_via_parent.title ?= "n2"',
    },
  ),
  base('flags', [text('title'), { name: 'on', type: 'bool' }]),
  base('things', [text('title')], {
    listRule: '@collection.flags.title ?= title && @collection.flags.on ?= true',
  }),
]

const id = (name: string) => name.padEnd(15, '0')
const RECORDS = {
  tops: [{ title: 't1' }, { title: 't2' }],
  mids: [
    { title: 'm1', top: id('t1'), also: [id('t1'), id('t2')] },
    { title: 'm2', top: id('t2'), also: [id('t1')] },
  ],
  items: [{ title: 'i1', mid: id('m1') }],
  nodes: [
    { title: 'n1' },
    { title: 'n2', parent: id('n1') },
    { title: 'n3', peers: [id('n1'), id('n2')] },
  ],
  flags: [{ title: 'h1', on: true }],
  things: [{ title: 'h1' }],
}

const server = await startServer({ schema: SCHEMA, fixtures: {} })
const { token } = await signInAs(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
const root = (method: string, path: string, body?: object) =>
  ask(server.url, token, method, path, body)
await root('PATCH', 'settings', {
  batch: { enabled: true, maxRequests: 50, timeout: 3, maxBodySize: 0 },
})

const url = (collection: string, name = '') =>
  `/api/collections/${collection}/records${name && `/${id(name)}`}`
const drop = (collection: string, name: string) => ({
  method: 'DELETE',
  url: url(collection, name),
})
const change = (collection: string, name: string, body: object) => ({
  method: 'PATCH',
  url: url(collection, name),
  body,
})

async function storeAll(): Promise<void> {
  for (const [collection, records] of Object.entries(RECORDS))
    for (const record of records)
      await root('POST', `collections/${collection}/records`, { id: id(record.title), ...record })
}

async function dropAll(): Promise<void> {
  for (const collection of Object.keys(RECORDS).reverse())
    await root('DELETE', `collections/${collection}/truncate`)
}

const withFilter = (collection: string, filter: string) =>
  `${collection}/*?options=${encodeURIComponent(JSON.stringify({ query: { filter } }))}`

const TOP_OF_MANY = withFilter('tops', 'mids_via_also.title ?= "m2"')
const SINGLE = withFilter('mids', 'top.title = "t1" && also.title ?= "t1"')
const LENGTH = withFilter('mids', 'also:length = 2')
const PEERS = withFilter('nodes', 'nodes_via_peers.title ?= "n3"')
const NAMES = new Map([
  [TOP_OF_MANY, 'tops?many'],
  [SINGLE, 'mids?single'],
  [LENGTH, 'mids?length'],
  [PEERS, 'nodes?peers'],
])
const TOPICS = [
  ...['tops/*', 'mids/*', 'items/*', 'nodes/*', 'things/*'],
  ...['tops/t1', 'tops/t2', 'mids/m1', 'mids/m2', 'items/i1', 'nodes/n1', 'nodes/n2'].map((one) =>
    one.replace(/\w\d$/, id),
  ),
  ...NAMES.keys(),
]

const DELETIONS: readonly (readonly [does: string, requests: object[], guest: string])[] = [
  [
    'a deletion that empties a single and a multiple relation of others',
    [drop('tops', 't1')],
    'mids/* update m1, mids/* update m1, mids/m2 update m2, tops/* delete t1, tops/t1 delete t1',
  ],
  [
    'a deletion that shortens a multiple relation',
    [drop('tops', 't2')],
    'mids/* update m1, mids/m1 update m1, mids?single update m1',
  ],
  [
    'a deletion with a cascade below two relations',
    [drop('mids', 'm1')],
    'items/* delete i1, items/i1 delete i1, mids/* delete m1, mids/m1 delete m1, mids?length delete m1, mids?single delete m1',
  ],
  ['a deletion in a collection that refers to itself', [drop('nodes', 'n1')], 'nodes/n1 delete n1'],
  [
    'a deletion of a record that refers to its own collection and is named there',
    [drop('nodes', 'n2')],
    'nodes/* delete n2, nodes/* update n3, nodes?peers delete n2',
  ],
  [
    'a deletion after a change of the record that its rule reads',
    [change('mids', 'm1', { title: 'other' }), drop('tops', 't1')],
    'mids/* update other, mids/* update other, mids/* update other, mids/m2 update m2, tops/* delete t1, tops/t1 delete t1',
  ],
  [
    'a deletion after the relation to it was emptied',
    [change('mids', 'm1', { top: '' }), drop('tops', 't1')],
    'mids/* update m1, mids/* update m1, mids/m2 update m2, tops/* delete t1, tops/t1 delete t1',
  ],
  [
    'a deletion that would be seen only by a change of the same batch',
    [change('mids', 'm2', { title: 'm1' }), drop('tops', 't2')],
    'mids/* update m1, mids/m1 update m1, mids?single update m1',
  ],
  [
    'a deletion of a record that the batch changed before',
    [change('mids', 'm1', { top: id('t2'), also: [] }), drop('mids', 'm1')],
    'items/* delete i1, items/i1 delete i1, mids/* delete m1, mids/m1 delete m1, mids?length delete m1, mids?single delete m1',
  ],
  [
    'deletions of both ends of a relation',
    [drop('tops', 't1'), drop('mids', 'm1')],
    'items/* delete i1, items/i1 delete i1, mids/* delete m1, mids/m1 delete m1, mids/m2 update m2, mids?length delete m1, mids?single delete m1, tops/* delete t1, tops/t1 delete t1',
  ],
  [
    'a deletion beside a change in another collection that its rule reads',
    [change('flags', 'h1', { on: false }), drop('things', 'h1')],
    'things/* delete h1',
  ],
]

test.each(DELETIONS)('guests hear %s as from PocketBase', async (_does, requests, expected) => {
  await storeAll()
  const ear = await TestListener.on(server.url, '', ...TOPICS)
  await root('POST', 'batch', { requests })
  const wanted = expected.split(', ')
  const heard = (await ear.next(wanted.length)).map(({ event, data }) => {
    const topic = NAMES.get(event) ?? event.replace(/0+$/, '')
    return `${topic} ${data.action} ${data.record.title}`
  })
  expect(heard.sort()).toEqual(wanted)
  await ear.close()
  await dropAll()
})

test('a deletion shows the relations of the record as they were just before it', async () => {
  await storeAll()
  const query = { expand: 'mids_via_top.items_via_mid,mids_via_also,mid.top,top,also' }
  const options = `?options=${encodeURIComponent(JSON.stringify({ query }))}`
  const ear = await TestListener.on(
    server.url,
    token,
    ...['tops/*', 'mids/*', 'items/*'].map((topic) => topic + options),
  )
  await root('POST', 'batch', { requests: [drop('tops', 't1'), drop('mids', 'm1')] })
  const events = await ear.next(6)
  const deleted = new Map(
    events.flatMap(({ data: { action, record } }) =>
      action === 'delete' ? [[record.title, record.expand]] : [],
    ),
  )
  const m1 = { title: 'm1', top: id('t1'), also: [id('t1'), id('t2')] }
  expect(deleted.get('t1')).toMatchObject({
    mids_via_top: [{ ...m1, expand: { items_via_mid: [{ title: 'i1' }] } }],
    mids_via_also: [m1, { title: 'm2', also: [id('t1')] }],
  })
  expect(deleted.get('m1')).toMatchObject({ also: [{ title: 't2' }] })
  expect(deleted.get('m1').top).toBeUndefined()
  // the parent of a cascade is gone before its children
  expect(deleted.get('i1')).toEqual({})
  await ear.close()
  await dropAll()
})
