import { Hono } from 'hono'
import type { Store } from '../../collections/catalog.ts'
import { checkFields, notLonger, required } from '../../collections/checks.ts'
import { collectionJson, scaffoldsJson } from '../../collections/definition/complete.ts'
import { OAUTH2_PROVIDERS } from '../../collections/definition/oauth2-providers.ts'
import { dryRunView } from '../../collections/dry-run.ts'
import { createCollection, importAll, removeCollection, updateCollection } from '../../collections/edit.ts'
import { sqliteErrorText } from '../../collections/sqlite/sqlite-fault.ts'
import { isQueryFault } from '../../collections/views/view.ts'
import { badRequest, notFound } from '../../errors.ts'
import { anything, flag, object, ShapeError, text } from '../../fields/shape.ts'
import { checkRule } from '../../records/access.ts'
import { truncateCollection } from '../../records/delete.ts'
import type { Extensions } from '../../records/extension.ts'
import { listRecords } from '../../records/list.ts'
import type { RequestInfo } from '../../request/request.ts'
import { renameRateLimits } from '../../settings/settings.ts'
import { MAX_BODY_BYTES } from '../body/body.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { readForm } from '../forms/form.ts'
import { listPlain, plainList } from '../lists/plain-list.ts'
import { answerSuperuser, auditedCollections, auditRequest, requireSuperuser } from '../middleware/audit.ts'
import { bodyOr, buildRequest, sendJson, sendRaw } from '../request-info.ts'

const MAX_QUERY_BYTES = 5_000
const SAMPLE_SIZE = 10

const LOAD = {
  create: 'Failed to load the collection type data due to invalid formatting.',
  update: 'Failed to load the submitted data due to invalid formatting.',
}

const TYPE_FORM = object({ name: text, type: text })
const IMPORT_FORM = object({ collections: anything, deleteMissing: flag })
const QUERY_FORM = object({ query: text })
const WHOLE = { maxBytes: MAX_BODY_BYTES }

/** Only the keys `name` and `type` match in upper or lower case: PocketBase reads these two first. */
async function readNewCollection(c: Ctx): Promise<Record<string, unknown>> {
  const { values, isJson } = await bodyOr(c, LOAD.create)
  try {
    return { ...values, ...TYPE_FORM.over(values, TYPE_FORM.zero(), isJson) }
  } catch (error) {
    throw error instanceof ShapeError ? badRequest(LOAD.create) : error
  }
}

/** `/api/collections` for superusers. PocketBase: apis/collection.go, contract 7.5 */
export const collectionRoutes = (services: Services) => {
  const { extensions, settings } = services
  const nameOf = (c: Ctx) => c.req.param('collection') ?? ''
  const collectionOf = (c: Ctx) => {
    const collection = services.store.catalog.find(nameOf(c))
    if (!collection) throw notFound()
    return collection
  }
  return new Hono<Env>()
    .get('/', async (c) => {
      const { auth, store } = await requireSuperuser(c, services)
      return sendRaw(c, await listCollections(store, extensions, buildRequest(c, auth, {})))
    })
    .post('/', async (c) => {
      const { auth } = await requireSuperuser(c, services)
      const submitted = await readNewCollection(c)
      const made = await createCollection(auditedCollections(c, services, auth), submitted, checkRule)
      return sendJson(c, collectionJson(made))
    })
    .put('/import', async (c) => {
      const { auth } = await requireSuperuser(c, services)
      const form = await readForm(c, IMPORT_FORM, WHOLE)
      await importAll(auditedCollections(c, services, auth), form, checkRule)
      return c.body(null, 204)
    })
    .get('/meta/scaffolds', (c) => answerSuperuser(c, services, scaffoldsJson))
    .get('/meta/oauth2-providers', (c) =>
      answerSuperuser(c, services, () => [...OAUTH2_PROVIDERS].map(([name, shown]) => ({ name, ...shown }))),
    )
    .post('/meta/dry-run-view', async (c) => {
      const { auth, store } = await requireSuperuser(c, services)
      const { query } = await readForm(c, QUERY_FORM, WHOLE)
      checkFields({ query }, { query: [required, notLonger(MAX_QUERY_BYTES)] })
      return sendJson(c, await dryRun(store, extensions, query, buildRequest(c, auth, {})))
    })
    .get('/:collection', (c) => answerSuperuser(c, services, () => collectionJson(collectionOf(c))))
    .patch('/:collection', async (c) => {
      const { auth } = await requireSuperuser(c, services)
      const { id, name } = collectionOf(c)
      const { values } = await bodyOr(c, LOAD.update)
      const collection = await updateCollection(auditedCollections(c, services, auth), id, values, checkRule)
      await renameRateLimits(settings, name, collection.name)
      return sendJson(c, collectionJson(collection))
    })
    .delete('/:collection', async (c) => {
      const { auth } = await requireSuperuser(c, services)
      await removeCollection(auditedCollections(c, services, auth), nameOf(c))
      return c.body(null, 204)
    })
    .delete('/:collection/truncate', async (c) => {
      const { auth, store } = await requireSuperuser(c, services)
      const collection = collectionOf(c)
      await store.db.transaction(async (db) => {
        await truncateCollection({ db, catalog: store.catalog }, extensions, collection)
        await auditRequest(c, services, auth, { action: 'truncate', collection: collection.name }, db)
      })
      return c.body(null, 204)
    })
}

async function dryRun(store: Store, extensions: Extensions, viewQuery: string, request: RequestInfo) {
  const query = { perPage: `${SAMPLE_SIZE}`, skipTotal: '1' }
  try {
    return await dryRunView(store, viewQuery, async (inside, view) => {
      const list = JSON.parse(await listRecords(inside, extensions, view, { ...request, query }))
      const hidden = new Set(view.fields.filter((field) => field.hidden).map(({ name }) => name))
      const shown = (item: object) => Object.entries(item).filter(([name]) => !hidden.has(name))
      const sample = list.items.map((item: object) => Object.fromEntries(shown(item)))
      return JSON.stringify({ fields: view.fields, sample })
    })
  } catch (error) {
    if (!isQueryFault(error)) throw error
    throw badRequest(`Invalid view query. Raw error: \n${sqliteErrorText(error)}`)
  }
}

/** Fields to filter and sort collections by: the columns of this view. */
const LISTED = plainList('_collections_listed', [
  ['id', 'text'],
  ['name', 'text'],
  ['type', 'text'],
  ['created', 'date'],
  ['updated', 'date'],
  ['system', 'bool'],
])

const listCollections = (store: Store, extensions: Extensions, request: RequestInfo) =>
  listPlain(LISTED, store, extensions, request, ({ id }) => collectionJson(store.catalog.find(String(id))!))
