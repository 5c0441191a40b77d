import { pathToFileURL } from 'node:url'
import PocketBase from 'pocketbase'
import type { TestServer } from '../support/database/open.ts'
import { SUPERUSER, startServer } from '../support/server/start.ts'
import { areInstalled, toolFile } from './door-clients.ts'

interface Row {
  readonly id: string
  readonly [name: string]: unknown
}
interface Rule {
  readonly field?: string
  readonly operator: string
  readonly value: unknown
}
interface Query {
  readonly resource: string
  readonly id?: string
  readonly variables?: object
  readonly filters?: readonly Rule[]
  readonly sorters?: readonly { field: string; order: 'asc' | 'desc' }[]
  readonly pagination?: { currentPage?: number; pageSize?: number; mode?: 'client' | 'server' }
  readonly meta?: { expand?: readonly string[]; fields?: readonly string[] }
}
/** What an app built with Refine calls. */
interface Provider {
  getList(query: Query): Promise<{ data: Row[]; total: number }>
  getOne(query: Query): Promise<{ data: Row }>
  create(query: Query): Promise<{ data: Row }>
  update(query: Query): Promise<{ data: Row }>
  deleteOne(query: Query): Promise<{ data: { id: string } }>
  custom(query: { url: string; method: string; payload?: object }): Promise<{ data: unknown }>
}
interface AuthProvider {
  register(form: object): Promise<{ success: boolean }>
  login(form: object): Promise<{ success: boolean; error?: { message: string } }>
  check(): Promise<{ authenticated: boolean }>
  getIdentity(): Promise<Row | null>
  forgotPassword(form: object): Promise<{ success: boolean }>
  logout(form: object): Promise<{ success: boolean }>
}
interface Refine {
  dataProvider(pb: PocketBase): Provider
  authProvider(pb: PocketBase, options?: object): AuthProvider
}

const ANN = { email: 'ann@example.com', password: 'annspassword' }
const resource = 'contacts'
const NAMES = ['Ann', "O'Brien", '100% Bob', 'bob', 'Zoë']

describe.skipIf(!areInstalled())('refine-pocketbase', () => {
  let server: TestServer
  let pb: PocketBase
  let data: Provider
  let auth: AuthProvider
  let user: string

  beforeAll(async () => {
    server = await startServer()
    const refine = (await import(
      pathToFileURL(toolFile('refine-pocketbase/dist/index.js')).href
    )) as unknown as Refine
    const root = new PocketBase(server.url)
    await root.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
    user = (await root.collection('users').create({ ...ANN, passwordConfirm: ANN.password })).id
    pb = new PocketBase(server.url)
    data = refine.dataProvider(pb)
    auth = refine.authProvider(pb)
  })

  test('refine-pocketbase signs in with the right password only', async () => {
    const wrong = await auth.login({ ...ANN, password: 'wrong-password' })
    expect(wrong).toMatchObject({ success: false })
    expect(await auth.check()).toMatchObject({ authenticated: false })
    expect(await auth.login(ANN)).toMatchObject({ success: true })
    expect(await auth.check()).toMatchObject({ authenticated: true })
    expect(await auth.getIdentity()).toMatchObject({ id: user, email: ANN.email })
  })

  test('refine-pocketbase creates, reads, updates and deletes records', async () => {
    const { data: group } = await data.create({
      resource: 'contact_groups',
      variables: { user, name: 'staff' },
    })
    const made: Row[] = []
    for (const [i, name] of NAMES.entries()) {
      const variables = {
        user,
        name,
        phone: `+4477009000${10 + i}`,
        groups: [group.id],
        data: { i },
      }
      made.push((await data.create({ resource, variables })).data)
    }
    const { id } = made[0]!
    const update = await data.update({ resource, id, variables: { opted_out: true } })
    expect(update.data).toMatchObject({ id, name: 'Ann', opted_out: true, data: { i: 0 } })
    const meta = { expand: ['groups'], fields: ['id', 'name', 'expand.groups.name'] }
    const one = await data.getOne({ resource, id, meta })
    expect(one.data).toEqual({ id, name: 'Ann', expand: { groups: [{ name: 'staff' }] } })
    const extra = await data.create({ resource, variables: { user, phone: '+447700900099' } })
    expect(await data.deleteOne({ resource, id: extra.data.id })).toEqual({
      data: { id: extra.data.id },
    })
    await expect(data.getOne({ resource, id: extra.data.id })).rejects.toMatchObject({
      statusCode: 404,
    })
  })

  test('refine-pocketbase lists records in pages and all at once', async () => {
    const sorters = [{ field: 'phone', order: 'desc' as const }]
    const page = await data.getList({
      resource,
      sorters,
      pagination: { currentPage: 2, pageSize: 2 },
    })
    expect([page.total, ...page.data.map(({ name }) => name)]).toEqual([5, '100% Bob', "O'Brien"])
    const all = await data.getList({ resource, sorters, pagination: { mode: 'client' } })
    expect(all.data.map(({ name }) => name)).toEqual([...NAMES].reverse())
  })

  test.each<[string, Rule, string[]]>([
    ['eq with a quote', { field: 'name', operator: 'eq', value: "O'Brien" }, ["O'Brien"]],
    ['ne', { field: 'opted_out', operator: 'ne', value: true }, NAMES.slice(1)],
    ['in', { field: 'name', operator: 'in', value: ['Ann', 'Zoë'] }, ['Ann', 'Zoë']],
    ['nin', { field: 'name', operator: 'nin', value: ['Ann', 'Zoë'] }, NAMES.slice(1, 4)],
    ['contains', { field: 'name', operator: 'contains', value: 'BOB' }, ['100% Bob', 'bob']],
    ['startswith', { field: 'name', operator: 'startswith', value: '100%' }, ['100% Bob']],
    ['endswith', { field: 'name', operator: 'endswith', value: 'bob' }, ['100% Bob', 'bob']],
    ['between', { field: 'data.i', operator: 'between', value: [1, 2] }, ["O'Brien", '100% Bob']],
    ['null', { field: 'data.none', operator: 'null', value: true }, NAMES],
    ['of a relation', { field: 'groups.name', operator: 'eq', value: 'staff' }, NAMES],
    ['a date', { field: 'created', operator: 'lt', value: new Date('2020-01-01') }, []],
    [
      'or of ands',
      {
        operator: 'or',
        value: [
          { field: 'name', operator: 'eq', value: 'bob' },
          {
            operator: 'and',
            value: [
              { field: 'name', operator: 'eq', value: 'Ann' },
              { field: 'opted_out', operator: 'eq', value: true },
            ],
          },
        ],
      },
      ['Ann', 'bob'],
    ],
  ])('refine-pocketbase filters by %s and finds $2', async (_, rule, names) => {
    const sorters = [{ field: 'phone', order: 'asc' as const }]
    const { data: found } = await data.getList({ resource, filters: [rule], sorters })
    expect(found.map(({ name }) => name)).toEqual(names)
  })

  test('refine-pocketbase shows errors at their fields', async () => {
    await expect(data.create({ resource, variables: { user } })).rejects.toMatchObject({
      statusCode: 400,
      errors: { phone: 'Cannot be blank.' },
    })
  })

  test('refine-pocketbase calls a route that PocketBase lacks: the preview of a send', async () => {
    const url = `${server.url}/api/sms/preview`
    const payload = { recipients: ['+447700900010'], body: 'Hello' }
    expect((await data.custom({ url, method: 'POST', payload })).data).toMatchObject({
      segments: 1,
    })
  })

  test('refine-pocketbase requests a new password and signs out', async () => {
    expect(await auth.forgotPassword({ email: ANN.email })).toMatchObject({ success: true })
    expect(await auth.logout({})).toMatchObject({ success: true })
    expect(await auth.getIdentity()).toBeNull()
    await expect(data.getList({ resource })).resolves.toMatchObject({ total: 0 })
  })
})
