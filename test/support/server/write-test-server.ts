import { request } from './request.ts'
import { base, relation, text } from './schema.ts'
import { SUPERUSER, startServer } from './start.ts'

// A workshop, with everything that the write side knows: workers sign in, tools lie on shelves, jobs need
// tools.

const OWN = 'worker = @request.auth.id'

const SCHEMA = [
  base('workers', [text('role'), { name: 'password', type: 'password', cost: 4 }], {
    type: 'auth',
    updateRule: 'id = @request.auth.id || @request.auth.role = "boss"',
    manageRule: '@request.auth.role = "boss"',
    authAlert: { enabled: false },
  }),
  base('shelves', [text('label')]),
  base(
    'tools',
    [
      text('name', { required: true, min: 2 }),
      text('serial', { autogeneratePattern: '[A-Z]{8}' }),
      text('maker'),
      { name: 'count', type: 'number', max: 100 },
      { name: 'kind', type: 'select', values: ['hand', 'power'], maxSelect: 1 },
      { name: 'key', type: 'password', min: 4, cost: 4 },
      { name: 'photo', type: 'file', maxSelect: 1 },
      relation('shelf', 'shelves'),
      relation('spares', 'shelves', { maxSelect: 9 }),
      { name: 'created', type: 'autodate', onCreate: true },
      { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
    ],
    {
      indexes: [
        'CREATE UNIQUE INDEX `idx_tools_maker` ON `tools` (`maker`, `serial`) WHERE `maker` != ""',
      ],
    },
  ),
  base('jobs', [relation('tool', 'tools', { cascadeDelete: true })]),
  base('notes', [relation('worker', 'workers'), text('text')], {
    listRule: OWN,
    viewRule: OWN,
    createRule: OWN,
    updateRule: `${OWN} && (@request.body.worker:isset = false || @request.body.worker = @request.auth.id)`,
    deleteRule: OWN,
  }),
]

export type WriteTestServer = Awaited<ReturnType<typeof startWriteTestServer>>

/** A server with the workshop's collections; `super` is signed in. */
export async function startWriteTestServer() {
  const server = await startServer({ schema: SCHEMA })
  const tokens: Record<string, string> = {}
  /** Asks as someone who has signed in (or as a guest, ''). */
  const ask = (who: string, method: string, path: string, body?: unknown) =>
    request(
      `${server.url}/api/`,
      method,
      path,
      body,
      tokens[who] ? { authorization: tokens[who] } : {},
    )
  /** Signs someone in under a name. */
  const signIn = async (who: string, collection: string, identity: string, password: string) => {
    const { body } = await ask('', 'POST', `collections/${collection}/auth-with-password`, {
      identity,
      password,
    })
    tokens[who] = body.token
  }
  await signIn('super', '_superusers', SUPERUSER.email, SUPERUSER.password)
  return { server, ask, signIn }
}
