import { bindTemplateParams } from '../../../src/engine/filter/compile-filter.ts'
import { makeGuestHolder, makeServerTicket } from '../../../src/platform/limits/limit-holder.ts'
import { compare, OPAQUE } from '../../support/predicates.ts'
import { testConfig } from '../../support/server/start.ts'
import { openWorld } from './world.ts'

const world = await openWorld(await testConfig())

test.each([
  ['a base column', "txt = 'x'", 'b."txt" = $1::text'],
  ['never null-safe on it', "txt != 'x'", 'b."txt" <> $1::text'],
  ['a flag is itself', 'flag = true', 'b."flag"'],
  ['or its opposite', 'flag != true', 'NOT b."flag"'],
  ['like', "txt ~ 'x'", 'b."txt" ILIKE $1::text COLLATE "C"'],
  ['like, where case does not matter', "txt ~ '+49 77%ä'", 'b."txt" LIKE $1::text COLLATE "C"'],
  ['unlike', "txt !~ 'Ä7'", 'b."txt" NOT LIKE $1::text COLLATE "C"'],
  ['a value in a list', "many:each ?= 'a'", 'b."many" @> ARRAY[$1::text]'],
  ['one of two', "txt = 'x' || txt = 'y'", 'b."txt" IN ($1::text, $2::text)'],
  [
    'several of two columns',
    "txt = 'x' || owner = 'y' || txt = 'z'",
    'b."txt" IN ($1::text, $2::text) OR b."owner" = $3::text',
  ],
  ['the id of a single relation', "owner.id = 'x'", 'b."owner" = $1::text'],
])('the filter $1 compiles to the SQL $2: %s', (_, filter, where) => {
  expect(world.compile({ collection: 'things', as: 'root', filter }).where).toBe(where)
})

test.each([
  ['a text', "txt = 'x'", compare('txt', '=', 0)],
  ['a number', 'num >= 5', compare('num', '>=', 0, 'float8')],
  ['the empty text', "txt != ''", { kind: 'comparison', column: 'txt', sign: '<>', value: '' }],
  ['a flag', 'flag = true', { kind: 'flag', column: 'flag' }],
  ['a flag that is not set', 'flag = false', OPAQUE],
  ['a value before the column', "'x' = txt", OPAQUE],
  ['another record', "owner.nick = 'Ann'", OPAQUE],
  ['two values', "'x' = 'x'", OPAQUE],
  ['what is always true', "null = ''", { kind: 'and', items: [] }],
  [
    'one of two',
    "txt = 'x' || txt = 'y'",
    { kind: 'or', items: [0, 1].map((i) => compare('txt', '=', i)) },
  ],
  [
    'all of several',
    "txt = 'x' && (flag = true || txt ~ 'y') && num < 5",
    {
      kind: 'and',
      items: [
        compare('txt', '=', 0),
        { kind: 'or', items: [{ kind: 'flag', column: 'flag' }, OPAQUE] },
        compare('num', '<', 1, 'float8'),
      ],
    },
  ],
])('the filter $1 compiles to the condition $2: %s', (_, filter, condition) => {
  const { structure } = world.compile({ collection: 'things', as: 'root', filter })
  expect(structure.condition).toEqual(condition)
})

test('filters of the same shape compile to the same SQL with other parameters', () => {
  const [a, b] = ['x', 'y'].map((name) =>
    world.compile({ collection: 'things', filter: `txt = '${name}' && num > 5`, sort: '-day' }),
  )
  expect(a).toMatchObject({ free: true, orderBy: 'b."day" DESC, b._rowid', params: ['x', 5] })
  expect(b).toEqual({ ...a, params: ['y', 5] })
})

test.each([
  "txt = @request.auth.nick && num > 5 && day > @todayStart && txt ~ 'x%'",
  '@request.body.tags:length = 2 && @request.query.a:isset = true && @request.headers.b:lower != txt',
  '@request.body.num:changed = false || j.a.0 = @request.method || many:each ~ @request.body.txt',
])('the parameters of the rule %s are plain data, whose copies bind to the same values', (rule) => {
  const [question, template] = world.makeTemplate({ collection: 'things', as: 'ann', rule })
  const bind = (params: typeof template.params) =>
    bindTemplateParams({ ...template, params }, question, null).params
  expect(template.params.length).toBeGreaterThan(2)
  // a function cannot be cloned
  expect(bind(structuredClone(template.params)).map(String)).toEqual(
    bind(template.params).map(String),
  )
})

test('values of another kind compile to other SQL', () => {
  const [text, empty, number] = ["num = 'x'", "num = ''", "num = '5'"].map((filter) =>
    world.compile({ collection: 'things', filter }),
  )
  expect([text?.never, empty?.never, number?.where]).toEqual([true, true, 'b."num" = $1::float8'])
})

test.each(["notes_via_thing.body ?= 'x'", "tags.name ?= 'x' && notes_via_thing.body = 'y'"])(
  'a path through several records compiles to EXISTS, not to a join: %s',
  (filter) => {
    const { from, where } = world.compile({ collection: 'things', as: 'root', filter })
    expect(from).toBe('"things" b')
    expect(where).toMatch(/EXISTS \(/)
    expect(where).not.toContain('DISTINCT')
  },
)

test('a rule with a back-relation cannot be checked for a record not stored yet', () => {
  const candidate = { id: 'new', txt: 'x' }
  const compile = () =>
    world.compile({ collection: 'things', rule: "notes_via_thing.body = ''", candidate })
  expect(compile).toThrow()
})

test.each(['each', 'length', 'changed'])(
  'a value of the request has no modifier %s',
  (modifier) => {
    const filter = `@request.query.tag:${modifier} = 1`
    const compile = () => world.compile({ collection: 'things', as: 'root', filter })
    expect(compile).toThrow(expect.objectContaining({ name: 'FilterError' }))
  },
)

describe('a client that is not a superuser', () => {
  test.each([
    ['hidden fields', 'people', "secret = 'x'"],
    ['hidden fields of a related record', 'things', "owner.secret = 'x'"],
    ['password hashes', 'people', "password ~ '$2'"],
    ['collections closed to it', 'things', "locked_via_thing.body = 'x'"],
    ['filters over 3,500 bytes', 'tags', `name = '${'ä'.repeat(1750)}'`],
  ])('a client that is not a superuser cannot filter by %s', async (_, collection, filter) => {
    expect(await world.ask('ann', collection, filter)).toBe('refused')
  })

  test.each(['@request.auth.id', '@collection.tags.id'])(
    'a client that is not a superuser cannot even use %s inside a text',
    (name) => {
      const ask = () => world.compile({ collection: 'tags', as: 'ann', filter: `name = '${name}'` })
      expect(ask).toThrow(expect.objectContaining({ name: 'ApiError', status: 403 }))
    },
  )

  test('a client that is not a superuser can compare visible emails only', async () => {
    const visible = ['per000000000001', 'per000000000003', 'per000000000005']
    expect(await world.ask('ann', 'people', "email ~ 'example'")).toEqual(visible)
    expect(await world.ask('root', 'people', "email ~ 'example'")).toHaveLength(5)
  })

  // person 4 is zed, whom the listRule of people hides
  test('a client that is not a superuser cannot see fields of related records that it may not list', async () => {
    const hidden = await world.ask('root', 'things', "owner = 'per000000000004'")
    const seen = await world.ask('ann', 'things', "owner.nick != 'nobody' || txt != 'nothing'")
    expect(hidden.length).toBeGreaterThan(0)
    expect(seen.length).toBe(40 - hidden.length)
    expect(await world.ask('ann', 'things', '', 'owner.nick,id')).toHaveLength(40 - hidden.length)
  })
})

test("reading long filters is charged to the holder's budget, valid or not", () => {
  const ticket = makeServerTicket(makeGuestHolder('reader'))
  const read = (turn: number) => {
    const filter = `name = '${turn}${'a'.repeat(3_000)}' &&`
    world.compile({ collection: 'tags', filter, ticket })
  }
  const refusals: unknown[] = []
  for (let turn = 0; turn < 400 && refusals.length === 0; turn++) {
    try {
      read(turn)
    } catch (error) {
      if ((error as Error).name !== 'FilterError') refusals.push(error)
    }
  }
  expect(refusals).toMatchObject([{ status: 429 }])
})
