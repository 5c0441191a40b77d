import type { Store } from '../../engine/collections/catalog.ts'
import { checkFields, notLonger, required } from '../../engine/collections/checks.ts'
import { collectionJson, scaffoldsJson } from '../../engine/collections/definition/collection-json.ts'
import { OAUTH2_PROVIDERS } from '../../engine/collections/definition/oauth2-providers.ts'
import { dryRunView } from '../../engine/collections/dry-run.ts'
import { createCollection, removeCollection, updateCollection } from '../../engine/collections/edit.ts'
import { sqliteErrorText } from '../../engine/collections/from-sqlite/sqlite-fault.ts'
import { importAll } from '../../engine/collections/import-all-or-none.ts'
import { isQueryFault } from '../../engine/collections/views/view-query.ts'
import { anything, flag, object, ShapeError, text } from '../../engine/fields/json-shapes.ts'
import { checkRule } from '../../engine/records/access.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { listRecords } from '../../engine/records/list.ts'
import { truncateCollection } from '../../engine/records/truncate.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { renameRateLimits } from '../../engine/settings/settings-store.ts'
import { badRequest, notFound } from '../../platform/errors.ts'
import { sendRaw } from '../answer.ts'
import { buildRequest } from '../authenticate.ts'
import { bodyOr, MAX_BODY_BYTES } from '../body/body.ts'
import { readForm } from '../body/form.ts'
import type { Ctx, Services } from '../context.ts'
import { listPlain, plainList } from '../lists.ts'
import { auditedCollections, auditRequest } from '../middleware/audit.ts'
import { superuserRoutes } from '../middleware/require-caller.ts'

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

/** Reads a new collection. As in PocketBase, only the keys `name` and `type` match in any case. */
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
  const collectionOf = (name: string) => {
    const collection = services.store.catalog.find(name)
    if (!collection) throw notFound()
    return collection
  }
  return superuserRoutes(services, {
    'GET /': async ({ auth, store }, c) =>
      sendRaw(c, await listCollections(store, extensions, buildRequest(c, auth, {}))),
    'POST /': async ({ auth }, c) => {
      const submitted = await readNewCollection(c)
      return collectionJson(
        await createCollection(auditedCollections(c, services, auth), submitted, checkRule),
      )
    },
    'PUT /import': async ({ auth }, c) => {
      const form = await readForm(c, IMPORT_FORM, WHOLE)
      await importAll(auditedCollections(c, services, auth), form, checkRule)
    },
    'GET /meta/scaffolds': scaffoldsJson,
    'GET /meta/oauth2-providers': () => [...OAUTH2_PROVIDERS].map(([name, shown]) => ({ name, ...shown })),
    'POST /meta/dry-run-view': async ({ auth, store }, c) => {
      const { query } = await readForm(c, QUERY_FORM, WHOLE)
      checkFields({ query }, { query: [required, notLonger(MAX_QUERY_BYTES)] })
      return dryRun(store, extensions, query, buildRequest(c, auth, {}))
    },
    'GET /:collection': (_, __, name) => collectionJson(collectionOf(name)),
    'PATCH /:collection': async ({ auth }, c, named) => {
      const { id, name } = collectionOf(named)
      const { values } = await bodyOr(c, LOAD.update)
      const collection = await updateCollection(auditedCollections(c, services, auth), id, values, checkRule)
      await renameRateLimits(settings, name, collection.name)
      return collectionJson(collection)
    },
    'DELETE /:collection': async ({ auth }, c, name) => {
      await removeCollection(auditedCollections(c, services, auth), name)
    },
    'DELETE /:collection/truncate': async ({ auth, store: { db, catalog } }, c, named) => {
      const collection = collectionOf(named)
      await db.transaction(async (inside) => {
        await truncateCollection({ db: inside, catalog }, extensions, collection)
        await auditRequest(c, services, auth, { action: 'truncate', collection: collection.name }, inside)
      })
    },
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

/** The fields by which lists of collections can be filtered and sorted. */
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
