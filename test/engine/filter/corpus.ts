/**
 * Collections with every kind of field and path, in PocketBase's export form, and records that try their
 * edges.
 */

type Json = Record<string, unknown>

const text = (name: string, more: Json = {}) => ({ name, type: 'text', ...more })
const number = (name: string) => ({ name, type: 'number' })
const relation = (name: string, to: string, maxSelect = 1) => {
  const collectionId = `pbc_${to}`
  return { name, type: 'relation', collectionId, maxSelect }
}
const CHOSEN = ['a', 'b', 'c', '5', 'x<y', 'Ä']
const select = (name: string, maxSelect: number) => ({
  name,
  type: 'select',
  maxSelect,
  values: CHOSEN,
})
const open = { listRule: '', viewRule: '', createRule: null, updateRule: null, deleteRule: null }
const collection = (name: string, fields: Json[], more: Json = {}) => ({
  id: `pbc_${name}`,
  name,
  type: 'base',
  ...open,
  indexes: [],
  ...more,
  fields: [
    {
      name: 'id',
      type: 'text',
      primaryKey: true,
      required: true,
      system: true,
      min: 0,
      max: 20,
      pattern: '^[a-z0-9]+$',
      autogeneratePattern: '[a-z0-9]{15}',
    },
    ...fields,
  ],
})

/** A back relation's rows come in the order of its index; without one, in whatever order SQLite makes up. */
const index = (table: string, column: string) => [
  `CREATE INDEX \`idx_${table}_${column}\` ON \`${table}\` (\`${column}\`)`,
]

/** The superuser. */
export const ROOT = {
  id: 'sup000000000001',
  email: 'root@example.com',
  password: 'rootpass12345',
  verified: true,
}

/** Relations need their targets first. */
export const SCHEMA: readonly Json[] = [
  collection('tags', [text('name'), number('n'), { name: 'on', type: 'bool' }]),
  collection(
    'people',
    [
      text('nick'),
      number('age'),
      select('roles', 3),
      relation('tag', 'tags'),
      relation('tags', 'tags', 5),
      text('secret', { hidden: true }),
    ],
    { type: 'auth', listRule: "nick != 'zed'", indexes: index('people', 'tag') },
  ),
  collection(
    'things',
    [
      text('txt'),
      number('num'),
      { name: 'flag', type: 'bool' },
      { name: 'day', type: 'date' },
      { name: 'mail', type: 'email' },
      { name: 'site', type: 'url' },
      { name: 'html', type: 'editor' },
      select('one', 1),
      select('many', 4),
      { name: 'j', type: 'json' },
      { name: 'place', type: 'geoPoint' },
      { name: 'file', type: 'file', maxSelect: 1 },
      text('hush', { hidden: true }),
      relation('owner', 'people'),
      relation('tag', 'tags'),
      relation('tags', 'tags', 5),
      relation('team', 'people', 5),
    ],
    { indexes: [...index('things', 'owner'), ...index('things', 'tag')] },
  ),
  collection(
    'notes',
    [
      text('body'),
      number('n'),
      relation('thing', 'things'),
      relation('things', 'things', 5),
      select('marks', 3),
    ],
    { listRule: "n >= 0 || body = ''", indexes: index('notes', 'thing') },
  ),
  collection('covers', [text('body'), relation('thing', 'things')], {
    indexes: ['CREATE UNIQUE INDEX `idx_covers_thing` ON `covers` (`thing`)'],
  }),
  collection('locked', [text('body'), relation('thing', 'things')], { listRule: null }),
]

const id = (prefix: string, n: number) => `${prefix}${String(n).padStart(15 - prefix.length, '0')}`
const tag = (n: number) => id('tag', n)
const person = (n: number) => id('per', n)
const thing = (n: number) => id('thi', n)

const TEXTS = '|x|y|X|abc|5|5.0|-1|1e3| 5 |a%b|a_b|a\\b|%|true|1|Ä|ä|2024-01-02|["a"]'.split('|')
const NUMBERS = [0, 1, 5, -1, 2.5, 1000, 1e16, 1e21, -0.001, 2024]
const DAYS = [
  '',
  '2024-01-02 03:04:05.678Z',
  '2024-02-29 23:59:59.999Z',
  '1999-12-31 00:00:00.000Z',
  '2026-06-01 12:00:00.000Z',
]
const CHOICES = [[], ['a'], ['b'], ['a', 'b'], ['5'], ['c', 'a', 'Ä'], ['x<y']]
const JSONS: unknown[] = [
  ...[null, 0, 1, 5, 2.5, true, false, '', 'x', '5', 'true', [], [1, 2], ['x', 'y'], {}, { a: 1 }],
  { a: 'x', b: [5, 'y', { c: null }] },
  { a: { b: { c: 5 } } },
  { a: null, b: true },
  { a: '5', b: 'X', 0: 'zero' },
]
const PLACES = [
  { lon: 0, lat: 0 },
  { lon: 10.5, lat: -20 },
  { lon: 13.4, lat: 52.5 },
  { lon: 180, lat: 90 },
]
const SETS = [[], [1], [1, 2], [2, 3], [3], [1, 2, 3], [4]]

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
/** One of a list, in an order that does not run in step with the other lists. */
const pick = <T>(list: readonly T[], i: number, salt: number): T =>
  list[(i * salt + ((i * i) % 7)) % list.length]!

export const RECORDS: Readonly<Record<string, readonly Json[]>> = {
  tags: [
    { id: tag(1), name: 'x', n: 1, on: true },
    { id: tag(2), name: 'y', n: 5, on: false },
    { id: tag(3), name: '', n: 0, on: true },
    { id: tag(4), name: '5', n: -1, on: false },
  ],
  people: times(5, (i) => ({
    id: person(i + 1),
    email: `p${i + 1}@example.com`,
    password: 'password123',
    emailVisibility: i % 2 === 0,
    verified: i % 3 === 0,
    nick: ['x', 'Ann', '', 'zed', '5'][i]!,
    age: NUMBERS[i]!,
    roles: CHOICES[i]!,
    tag: i === 4 ? '' : tag(i + 1),
    tags: SETS[i]!.map(tag),
    secret: TEXTS[i]!,
  })),
  things: times(40, (i) => ({
    id: thing(i + 1),
    txt: pick(TEXTS, i, 1),
    num: pick(NUMBERS, i, 3),
    flag: i % 3 === 1,
    day: pick(DAYS, i, 1),
    mail: i % 4 === 0 ? '' : `m${i % 5}@example.com`,
    site: i % 2 === 0 ? '' : 'https://example.com/?q=5',
    html: pick(['', '<p>x</p>', 'abc'], i, 1),
    one: pick(['', 'a', '5', 'Ä', 'b'], i, 2),
    many: pick(CHOICES, i, 2),
    j: pick(JSONS, i, 1),
    place: pick(PLACES, i, 1),
    hush: pick(TEXTS, i, 3),
    owner: i % 6 === 5 ? '' : person((i % 5) + 1),
    tag: i % 5 === 4 ? '' : tag((i % 4) + 1),
    tags: pick(SETS, i, 1).map(tag),
    team: pick(SETS, i, 2).map(person),
  })),
  notes: times(30, (i) => ({
    id: id('not', i + 1),
    body: pick(TEXTS, i, 3),
    n: pick(NUMBERS, i, 1),
    thing: i % 7 === 6 ? '' : thing((i % 12) + 1),
    things: pick(SETS, i, 1).map(thing),
    marks: pick(CHOICES, i, 1),
  })),
  covers: times(6, (i) => ({
    id: id('cov', i + 1),
    body: pick(TEXTS, i, 1),
    thing: i === 5 ? '' : thing(i * 2 + 1),
  })),
  locked: [{ id: id('loc', 1), body: 'x', thing: thing(1) }],
}
