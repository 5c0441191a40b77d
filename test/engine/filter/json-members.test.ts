import PocketBase from 'pocketbase'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

const server = await startServer()
const pb = new PocketBase(server.url)
await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
await pb.collections.create({
  name: 'people',
  type: 'base',
  fields: [{ name: 'data', type: 'json' }],
})
const NAMES = ['Schuhgröße', 'Shoe size', 'Nr.', 'a:b', '2026', 'Straße, Nr', "it's", '%20']
for (const value of [2, 1, 3])
  await pb
    .collection('people')
    .create({ data: Object.fromEntries(NAMES.map((name) => [name, value])) })

const encode = (name: string) =>
  [...new TextEncoder().encode(name)]
    .map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)
    .join('')

test.each(NAMES)('a member of JSON called %j is found and sorts', async (name) => {
  const [filter, sort] = [`data.${encode(name)} > 1`, `-data.${encode(name)}`]
  const { items } = await pb.collection('people').getList(1, 30, { filter, sort })
  expect(items.map(({ data }) => data[name])).toEqual([3, 2])
})

test.each(['data.%FF', 'data.%00', 'data.a%2', 'data.a%2g', 'data%20', 'a%20b'])(
  'the name %s is refused',
  async (name) => {
    const list = (asked: object) => pb.collection('people').getList(1, 30, asked)
    await expect(list({ filter: `${name} = 1` })).rejects.toMatchObject({ status: 400 })
    await expect(list({ sort: name })).rejects.toMatchObject({ status: 400 })
  },
)
