import { base, text } from '../../support/server/schema.ts'
import { signIn } from '../../support/server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../../support/server/start.ts'
import { ask, type Json } from '../realtime/realtime-server.ts'

// The results of SQLite 3.53.

const CASES: readonly (readonly [call: string, result: string | null])[] = [
  [`printf('%d %s %.2f', n, t, n)`, '42 Ann 42.50'],
  [`printf('%d', t)`, '0'],
  [`printf('%.0f', 2.5)`, '3'],
  [`printf('%.2f', 2.675)`, '2.67'],
  [`printf('%.2f', 1.005)`, '1.00'],
  [`printf('%.2f', '3.7x')`, '3.70'],
  [`printf('%.2f', NULL)`, '0.00'],
  [`printf('%d|%s|', NULL, NULL)`, '0||'],
  [`printf('%05d', -42)`, '-0042'],
  [`printf('%x %X', 255, -1)`, 'ff FFFFFFFFFFFFFFFF'],
  [`printf('%#x', 255)`, '0xff'],
  [`printf('%u', -1)`, '18446744073709551615'],
  [`printf('%08.3f', 3.14159)`, '0003.142'],
  [`printf('100%%')`, '100%'],
  [`printf('%,d', -1234567)`, '-1,234,567'],
  [`printf('%,.2f', 1234567.891)`, '1,234,567.89'],
  [`printf('%+d % d', 5, 5)`, '+5  5'],
  [`printf('%-10s|%10s|', 'ab', 'ab')`, 'ab        |        ab|'],
  [`printf('%5s|%!5s|', 'äö', 'äö')`, ' äö|   äö|'],
  [`printf('%.2s', 'abcdef')`, 'ab'],
  [`printf('%e %E', 12345.678, 12345.678)`, '1.234568e+04 1.234568E+04'],
  [`printf('%.0e', 12345.0)`, '1e+04'],
  [
    `printf('%g %g %g %g', 12345.678, 1234567.0, 0.00001234, 100)`,
    '12345.7 1.23457e+06 1.234e-05 100',
  ],
  [`printf('%.20f', 0.1)`, '0.10000000000000000000'],
  [`printf('%d %s %f|', 7)`, '7  0.000000|'],
  [`printf('%d', 1, 2)`, '1'],
  [`printf('%*d|%-*d|', 6, 42, 6, 42)`, '    42|42    |'],
  [`printf('%.*f', 2, 3.14159)`, '3.14'],
  [`printf('%lld', 9223372036854775807)`, '9223372036854775807'],
  [`printf('%q %Q %Q %w', 'it''s', 'it''s', NULL, 'a"b')`, `it''s 'it''s' NULL a""b`],
  [`printf('%03d:%02d', 7, 5)`, '007:05'],
  [`printf('%c%c', 'hello', 65)`, 'h6'],
  [`printf('%.3d|%8.3d|', 5, 5)`, '005|     005|'],
  [`printf('%')`, '%'],
  [`format('%s-%d', t, flag)`, 'Ann-1'],
  [`coalesce(printf(NULL), 'none')`, 'none'],
]

const server = await startServer({
  schema: [
    base('rows', [text('t'), { name: 'n', type: 'number' }, { name: 'flag', type: 'bool' }]),
  ],
  fixtures: { rows: [{ id: 'row000000000001', t: 'Ann', n: 42.5, flag: true }] },
})

const { token } = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
const root = (method: string, path: string, body?: object, expected?: number): Promise<Json> =>
  ask(server.url, token, method, path, body, expected)

test('views write texts by printf and format as SQLite does', async () => {
  const columns = CASES.map(([call], i) => `cast(${call} as text) as v${i}`).join(', ')
  const viewQuery = `select id, ${columns} from rows`
  await root('POST', 'collections', { name: 'written', type: 'view', viewQuery, listRule: '' })
  const { items } = await root('GET', 'collections/written/records')
  expect(CASES.map(([call], i) => [call, items[0][`v${i}`]])).toEqual(CASES)
})

test.each(['count(*)', 'count(id)', 'max(n)', 'n+1', 'upper(t)', 'cast(n as int)'])(
  'a view with %s needs a name for it, as in PocketBase',
  async (column) => {
    const viewQuery = `select id, ${column} from rows group by id`
    const view = { name: 'unnamed', type: 'view', viewQuery }
    const { data } = await root('POST', 'collections', view, 400)
    expect(data.viewQuery.message).toBe(
      `Invalid query - invalid field "${column}" (1): name: must be in a valid format.`,
    )
  },
)

test.each([
  [
    [{ name: 'dup' }, { name: 'dup' }],
    '"dup": constraint failed: UNIQUE constraint failed: _collections.name (2067)',
  ],
  [[{ name: 'dup' }, { name: 'DUP' }], '"DUP": SQL logic error: table `DUP` already exists (1)'],
  [
    [
      { id: 'iddup0000000001', name: 'd1' },
      { id: 'iddup0000000001', name: 'd2' },
    ],
    '"d2": constraint failed: UNIQUE constraint failed: _collections.id (1555)',
  ],
  [
    [
      { id: 'iddup0000000002', name: 'd1' },
      { id: 'iddup0000000003', name: 'd1' },
    ],
    '"d1": constraint failed: UNIQUE constraint failed: _collections.name (2067)',
  ],
])('an import of %j is refused as by PocketBase', async (given, reason) => {
  const collections = given.map((one) => ({ type: 'base', fields: [], ...one }))
  const { data } = await root('PUT', 'collections/import', { collections }, 400)
  expect(data.collections.message).toContain(`failed to save collection ${reason}`)
  await root('GET', `collections/${given[0]!.name}`, undefined, 404)
})
