import PocketBase from 'pocketbase'
import { SUPERUSER, startServer } from '../../support/server/start.ts'

const server = await startServer()
const pb = new PocketBase(server.url)
await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
await pb.collections.create({
  name: 'people',
  type: 'base',
  fields: [
    { name: 'name', type: 'text' },
    { name: 'data', type: 'json' },
  ],
})
for (const name of ['Zoe', 'Öde', 'olga', 'Ärger', 'Oz', 'anna'])
  await pb.collection('people').create({ name, data: { name } })

const BYTES = 'Oz Zoe anna olga Ärger Öde'
const GERMAN = 'anna Ärger Öde olga Oz Zoe'

test.each([
  ['', 'name', BYTES],
  ['de', 'name', GERMAN],
  ['de-AT', 'name', GERMAN],
  ['sv', 'name', 'anna olga Oz Zoe Ärger Öde'],
  ['tlh', 'name', GERMAN],
  ['de"; drop table people --', 'name', GERMAN],
  ['de', '-name', GERMAN.split(' ').reverse().join(' ')],
  ['de', 'data.name', GERMAN],
  ['', 'data.name', BYTES],
])('with sortLanguage %j, a sort by %s gives %s', async (sortLanguage, sort, names) => {
  const { items, totalItems } = await pb
    .collection('people')
    .getList(1, 30, { sort, sortLanguage, filter: 'name != ""' })
  expect(items.map(({ name }) => name).join(' ')).toBe(names)
  expect(totalItems).toBe(items.length)
})

test('pages of a sort by language follow each other', async () => {
  const names: string[] = []
  for (const page of [1, 2, 3]) {
    const { items } = await pb
      .collection('people')
      .getList(page, 2, { sort: 'name', sortLanguage: 'de' })
    names.push(...items.map(({ name }) => name))
  }
  expect(names.join(' ')).toBe(GERMAN)
})
