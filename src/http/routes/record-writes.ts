import { Hono } from 'hono'
import type { Collection } from '../../collections/collection.ts'
import { maxBodyBytes } from '../../fields/max-bytes.ts'
import { createRecord } from '../../records/create.ts'
import { deleteRecord } from '../../records/delete.ts'
import { updateRecord } from '../../records/update.ts'
import { MAX_BODY_BYTES } from '../body.ts'
import { bodyOf, type Env, requestInfo, type Services, sendJson } from '../context.ts'
import { writableCollection } from '../writable.ts'

const MISSING = 'Missing or invalid collection context'

/** `/api/collections/…/records`: create, update and delete. PocketBase: apis/record_crud.go */
export const recordWriteRoutes = (services: Services) => {
  const { store, extensions } = services
  return new Hono<Env>()
    .post('/:collection/records', async (c) => {
      const collection = writableCollection(store.catalog, c.req.param('collection'), MISSING)
      const { files } = await bodyOf(c, bodyLimit(collection))
      const request = await requestInfo(c, services)
      return sendJson(c, await createRecord(store, extensions, collection, request, files.keys()))
    })
    .patch('/:collection/records/:id', async (c) => {
      const collection = writableCollection(store.catalog, c.req.param('collection'), MISSING)
      const { files } = await bodyOf(c, bodyLimit(collection))
      const request = await requestInfo(c, services)
      const id = c.req.param('id')
      return sendJson(c, await updateRecord(store, extensions, collection, id, request, files.keys()))
    })
    .delete('/:collection/records/:id', async (c) => {
      const collection = writableCollection(store.catalog, c.req.param('collection'))
      await deleteRecord(store, extensions, collection, c.req.param('id'), await requestInfo(c, services))
      return c.body(null, 204)
    })
}

/** What a body may have: the limit of all routes and what the fields can take beyond it. Contract 8.2 */
const bodyLimit = ({ fields }: Collection) =>
  fields.reduce((sum, field) => sum + maxBodyBytes(field), MAX_BODY_BYTES)
