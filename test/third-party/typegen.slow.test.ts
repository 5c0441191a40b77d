import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import PocketBase from 'pocketbase'
import type { TestServer } from '../support/database/open.ts'
import { SUPERUSER, startServer } from '../support/server/start.ts'
import { areInstalled, FOLDER, toolFile } from './door-clients.ts'

const run = promisify(execFile)
const TSC = join(import.meta.dirname, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc')
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: 'esnext',
    module: 'nodenext',
    types: ['node'],
    typeRoots: [join(import.meta.dirname, '..', '..', 'node_modules', '@types')],
  },
  files: ['program.ts'],
}

const OWN = {
  name: 'all_types',
  type: 'base',
  fields: [
    { name: 'title', type: 'text', required: true },
    { name: 'n', type: 'number' },
    { name: 'on', type: 'bool' },
    { name: 'mail', type: 'email' },
    { name: 'link', type: 'url' },
    { name: 'page', type: 'editor' },
    { name: 'day', type: 'date' },
    { name: 'kind', type: 'select', values: ['x', 'y z'] },
    { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
    { name: 'data', type: 'json' },
    { name: 'place', type: 'geoPoint' },
    { name: 'doc', type: 'file' },
    { name: 'users', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 5 },
    { name: 'created', type: 'autodate', onCreate: true },
  ],
}

/** A program as an app would have it: typed records of our collections and of one of its own. */
const PROGRAM = `import PocketBase from 'pocketbase'
import { AllTypesKindOptions, Collections, SmsMessagesStatusOptions, type AllTypesResponse, type Create, type TypedPocketBase, type UsersResponse } from './types.js'

const pb = new PocketBase('http://127.0.0.1') as TypedPocketBase
export async function failures(): Promise<string[]> {
  const failed = await pb.collection(Collections.SmsMessages).getFullList({ filter: 'status = "failed"' })
  return failed.filter(({ status }) => status === SmsMessagesStatusOptions.failed).map(({ to, segments = 0 }) => \`\${to} \${segments + 1}\`)
}
export async function contact(user: UsersResponse): Promise<string> {
  const values: Create<'contacts'> = { user: user.id, phone: '+447700900001', groups: ['a'] }
  const made = await pb.collection('contacts').create(values)
  return made.groups?.join() ?? made.phone
}
export async function all(): Promise<number> {
  const record: AllTypesResponse = await pb.collection('all_types').getFirstListItem('on = true')
  const kind: AllTypesKindOptions = AllTypesKindOptions['y z']
  return (record.n ?? 0) + (record.place?.lon ?? 0) + (record.kind === kind ? 1 : 0) + record.users!.length
}
`
describe.skipIf(!areInstalled())('pocketbase-typegen', () => {
  let server: TestServer
  let folder: string

  beforeAll(async () => {
    server = await startServer()
    folder = mkdtempSync(join(FOLDER, 'types-'))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    const pb = new PocketBase(server.url)
    await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)
    await pb.collections.create(OWN)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('pocketbase-typegen generates types with which an app compiles', async () => {
    const out = join(folder, 'types.ts')
    const who = ['--url', server.url, '--email', SUPERUSER.email, '--password', SUPERUSER.password]
    await run(process.execPath, [toolFile('pocketbase-typegen/dist/cli.js'), ...who, '--out', out])
    writeFileSync(join(folder, 'program.ts'), PROGRAM)
    await run(process.execPath, [TSC, '-p', folder])
  })
})
