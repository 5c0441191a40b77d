import { Hono } from 'hono'
import type { Collection, Store } from '../../collections/catalog.ts'
import { maxBodyBytes } from '../../fields/field-types.ts'
import { PasswordMemory } from '../../records/auth-records.ts'
import { writeRecord } from '../../records/write.ts'
import type { RequestInfo } from '../../request/request.ts'
import { memoize } from '../../tools/lru.ts'
import { MAX_BODY_BYTES } from '../body/body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditWrite } from '../middleware/audit.ts'
import { limitOldPasswordChecks, passwordWork } from '../middleware/passwords.ts'
import { asCaller, bodyOf, sendJson, writableCollection } from '../request-info.ts'
import type { Attempt } from '../retry.ts'
import { storeOf } from '../server/store-of.ts'

/** `/api/collections/…/records`: create, update and delete. PocketBase: apis/record_crud.go */
export const recordWriteRoutes = (services: Services) =>
  new Hono<Env>()
    .post('/:collection/records', async (c) => sendJson(c, await write(c, services, 'POST')))
    .patch('/:collection/records/:id', async (c) => sendJson(c, await write(c, services, 'PATCH')))
    .delete('/:collection/records/:id', async (c) => {
      await write(c, services, 'DELETE')
      return c.body(null, 204)
    })

/** Reads the body once, then writes for the caller and the collection as they are at each attempt. */
async function write(c: Ctx, services: Services, method: 'POST' | 'PATCH' | 'DELETE'): Promise<string> {
  const { store, extensions } = services
  const missing = method === 'DELETE' ? undefined : 'Missing or invalid collection context'
  const find = ({ catalog }: Pick<Store, 'catalog'>) =>
    writableCollection(catalog, c.req.param('collection')!, missing)
  const known = find(store) // check this before the body is read
  const { values, files: uploads } = await bodyOf(c, method === 'DELETE' ? MAX_BODY_BYTES : bodyLimit(known))
  // the answer may contain a secret that is shown once
  if (method !== 'DELETE' && extensions.get(known.id)?.beforeCreate) c.header('cache-control', 'no-store')
  let memory: PasswordMemory | undefined
  const work = (request: RequestInfo, how: Attempt) => {
    const { auth } = request
    const inside = storeOf(c, services, auth)
    const collection = find(inside)
    const inSameTransaction = auditWrite(c, services, request, collection, uploads.keys())
    const { maxAccountFileBytes: maxFileBytes } = services.config
    const ofPasswords = () => {
      memory ??= new PasswordMemory()
      return memory.over(passwordWork(c, services, auth), how.locksRecord)
    }
    const options = { ...how, uploads, maxFileBytes, passwordWork: ofPasswords, inSameTransaction }
    return writeRecord(inside, extensions, collection, c.req.param('id') ?? '', request, options)
  }
  const run = () => asCaller(c, services, work, { values })
  const mayTestPassword = method === 'PATCH' && known.type === 'auth'
  return mayTestPassword ? limitOldPasswordChecks(c, services, [values], run) : run()
}

/** Maximum bytes of a body: the general limit plus the fields' own. Contract 8.2 */
const bodyLimit = memoize(({ fields }: Collection) =>
  fields.reduce((sum, field) => sum + maxBodyBytes(field), MAX_BODY_BYTES),
)
