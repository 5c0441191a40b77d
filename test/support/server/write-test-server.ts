import type { TestServer } from '../database/open.ts'
import { SUPERUSER, startServer } from './start.ts'

// A workshop, with everything that the write side knows: workers sign in, tools lie on shelves, jobs need
// tools.

const relation = (name: string, collectionId: string, options: object = {}) => ({
  name,
  type: 'relation',
  collectionId,
  maxSelect: 1,
  ...options,
})
const OPEN = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' }
const base = (name: string, fields: object[], rest: object = {}) => ({
  id: name,
  name,
  type: 'base',
  ...OPEN,
  fields,
  ...rest,
})

const OWN = 'worker = @request.auth.id'

const SCHEMA = [
  {
    id: 'workers',
    name: 'workers',
    type: 'auth',
    ...OPEN,
    updateRule: 'id = @request.auth.id || @request.auth.role = "boss"',
    manageRule: '@request.auth.role = "boss"',
    authAlert: { enabled: false },
    fields: [
      { name: 'role', type: 'text' },
      { name: 'password', type: 'password', cost: 4 },
    ],
  },
  base('shelves', [{ name: 'label', type: 'text' }]),
  base(
    'tools',
    [
      { name: 'name', type: 'text', required: true, min: 2 },
      { name: 'serial', type: 'text', autogeneratePattern: '[A-Z]{8}' },
      { name: 'maker', type: 'text' },
      { name: 'count', type: 'number', max: 100 },
      { name: 'kinds', type: 'select', values: ['hand', 'power', 'old'], maxSelect: 3 },
      { name: 'kind', type: 'select', values: ['hand', 'power'], maxSelect: 1 },
      { name: 'meta', type: 'json' },
      { name: 'key', type: 'password', min: 4, cost: 4 },
      { name: 'photo', type: 'file', maxSelect: 1 },
      { name: 'secret', type: 'text', hidden: true },
      relation('shelf', 'shelves'),
      relation('spares', 'shelves', { maxSelect: 9 }),
      { name: 'created', type: 'autodate', onCreate: true },
      { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
    ],
    { indexes: ['CREATE UNIQUE INDEX `idx_tools_maker` ON `tools` (`maker`, `serial`) WHERE `maker` != ""'] },
  ),
  base('jobs', [
    relation('tool', 'tools', { cascadeDelete: true }),
    relation('tools', 'tools', { maxSelect: 9, cascadeDelete: true }),
    relation('parent', 'jobs', { cascadeDelete: true }),
  ]),
  base('notes', [relation('worker', 'workers'), { name: 'text', type: 'text' }], {
    listRule: OWN,
    viewRule: OWN,
    createRule: OWN,
    updateRule: `${OWN} && (@request.body.worker:isset = false || @request.body.worker = @request.auth.id)`,
    deleteRule: OWN,
  }),
]

/** Answers of the record API: `text` and, where there is one, its JSON. */
export interface Answer {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of any answer
  readonly body: any
}

export interface WriteTestServer {
  readonly server: TestServer
  /** Asks as someone who has signed in (or as a guest, ''). A string is sent as it is. */
  ask(who: string, method: string, path: string, body?: unknown, type?: string): Promise<Answer>
  /** Signs someone in under a name. */
  signIn(who: string, collection: string, identity: string, password: string): Promise<void>
  stop(): Promise<void>
}

/** A server with the workshop's collections; `super` is signed in. */
export async function startWriteTestServer(): Promise<WriteTestServer> {
  const server = await startServer({ schema: SCHEMA })
  const tokens: Record<string, string> = {}
  const ask: WriteTestServer['ask'] = async (who, method, path, body, type = 'application/json') => {
    const isRaw = typeof body === 'string' || body instanceof FormData
    const headers: Record<string, string> = tokens[who] ? { authorization: tokens[who] } : {}
    if (body !== undefined && !(body instanceof FormData)) headers['content-type'] = type
    const sent = isRaw ? body : JSON.stringify(body)
    const answer = await fetch(`${server.url}/api/${path}`, { method, headers, body: sent })
    const text = await answer.text()
    return { status: answer.status, text, body: text && JSON.parse(text) }
  }
  const signIn: WriteTestServer['signIn'] = async (who, collection, identity, password) => {
    const { body } = await ask('', 'POST', `collections/${collection}/auth-with-password`, {
      identity,
      password,
    })
    tokens[who] = body.token
  }
  await signIn('super', '_superusers', SUPERUSER.email, SUPERUSER.password)
  return { server, ask, signIn, stop: () => server.stop() }
}
