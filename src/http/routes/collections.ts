import type { Store } from '../../engine/collections/catalog.ts'
import { checkFields, notLonger, required } from '../../engine/collections/checks.ts'
import {
  renderCollection,
  scaffoldsJson,
} from '../../engine/collections/definition/collection-json.ts'
import { OAUTH2_PROVIDERS } from '../../engine/collections/definition/oauth2-providers.ts'
import { dryRunView } from '../../engine/collections/dry-run.ts'
import {
  createCollection,
  removeCollection,
  updateCollection,
} from '../../engine/collections/edit.ts'
import { explainSqliteError } from '../../engine/collections/from-sqlite/sqlite-fault.ts'
import { importAll } from '../../engine/collections/import-all-or-none.ts'
import { isQueryFault } from '../../engine/collections/views/view-query.ts'
import { anything, flag, object, ShapeError, text } from '../../engine/fields/json-shapes.ts'
import { checkRule } from '../../engine/records/access.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import { listRecords } from '../../engine/records/list.ts'
import { truncateCollection } from '../../engine/records/truncate.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { renameRateLimits } from '../../engine/settings/settings-store.ts'
import { badRequest, notFound } from '../../platform/api-errors.ts'
import { sendJson, sendRaw } from '../answer.ts'
import { buildRequest } from '../authenticate.ts'
import { MAX_BODY_BYTES, readBodyOr } from '../body/body.ts'
import { readForm } from '../body/form.ts'
import type { Ctx } from '../context.ts'
import { listPlain, plainList } from '../lists.ts'
import { auditedCollections, auditRequest } from '../middleware/audit.ts'
import { bySuperuser } from '../permission.ts'
import { rows, undescribed } from '../rows.ts'

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
  const { values, isJson } = await readBodyOr(c, LOAD.create)
  try {
    return { ...values, ...TYPE_FORM.over(values, TYPE_FORM.zero(), isJson) }
  } catch (error) {
    throw error instanceof ShapeError ? badRequest(LOAD.create) : error
  }
}

/** The collection with this name or id. Throws 404. */
function find({ catalog }: Pick<Store, 'catalog'>, name: string) {
  const collection = catalog.find(name)
  if (!collection) throw notFound()
  return collection
}

/** Collections, for superusers. PocketBase: apis/collection.go, contract 7.5 */
export const COLLECTION_ROUTES = rows(
  '',
  {
    'GET /api/collections': undescribed(
      bySuperuser,
      ({ auth, store, services }, c) =>
        listCollections(store, services.extensions, buildRequest(c, auth, {})),
      sendRaw,
    ),
    'POST /api/collections': undescribed(bySuperuser, async ({ auth, services }, c) => {
      const submitted = await readNewCollection(c)
      return renderCollection(
        await createCollection(auditedCollections(c, services, auth), submitted, checkRule),
      )
    }),
    'PUT /api/collections/import': undescribed(bySuperuser, async ({ auth, services }, c) => {
      const form = await readForm(c, IMPORT_FORM, WHOLE)
      await importAll(auditedCollections(c, services, auth), form, checkRule)
    }),
    'GET /api/collections/meta/scaffolds': undescribed(bySuperuser, scaffoldsJson),
    'GET /api/collections/meta/oauth2-providers': undescribed(bySuperuser, () =>
      [...OAUTH2_PROVIDERS].map(([name, shown]) => ({ name, ...shown })),
    ),
    'POST /api/collections/meta/dry-run-view': undescribed(
      bySuperuser,
      async ({ auth, store, services }, c) => {
        const { query } = await readForm(c, QUERY_FORM, WHOLE)
        checkFields({ query }, { query: [required, notLonger(MAX_QUERY_BYTES)] })
        return dryRun(store, services.extensions, query, buildRequest(c, auth, {}))
      },
    ),
    'GET /api/collections/:collection': undescribed(bySuperuser, ({ services }, _, name) =>
      renderCollection(find(services.store, name)),
    ),
    'PATCH /api/collections/:collection': undescribed(
      bySuperuser,
      async ({ auth, services }, c, named) => {
        const { id, name } = find(services.store, named)
        const { values } = await readBodyOr(c, LOAD.update)
        const collection = await updateCollection(
          auditedCollections(c, services, auth),
          id,
          values,
          checkRule,
        )
        await renameRateLimits(services.settings, name, collection.name)
        return renderCollection(collection)
      },
    ),
    'DELETE /api/collections/:collection': undescribed(bySuperuser, ({ auth, services }, c, name) =>
      removeCollection(auditedCollections(c, services, auth), name),
    ),
    'DELETE /api/collections/:collection/truncate': undescribed(
      bySuperuser,
      async ({ auth, store: { db, catalog }, services }, c, named) => {
        const collection = find(services.store, named)
        await db.transaction(async (inside) => {
          await truncateCollection({ db: inside, catalog }, services.extensions, collection)
          await auditRequest(
            c,
            services,
            auth,
            { action: 'truncate', collection: collection.name },
            inside,
          )
        })
      },
    ),
  },
  sendJson,
)

async function dryRun(
  store: Store,
  extensions: Extensions,
  viewQuery: string,
  request: RequestInfo,
) {
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
    throw badRequest(`Invalid view query. Raw error: \n${explainSqliteError(error)}`)
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
  listPlain(LISTED, store, extensions, request, ({ id }) =>
    renderCollection(store.catalog.find(String(id))!),
  )
