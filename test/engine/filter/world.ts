import { quoteName, toTableName } from '../../../src/engine/collections/sql-names.ts'
import { compileFilter } from '../../../src/engine/filter/compile-filter.ts'
import type { CompiledFilter, FilterQuery } from '../../../src/engine/filter/compiled-filter.ts'
import { FilterError } from '../../../src/engine/filter/parse-filter.ts'
import { makeTemplate, type Template } from '../../../src/engine/filter/template.ts'
import { requireRule } from '../../../src/engine/records/check-rules.ts'
import { columnsOf, type RecordRow, toValues } from '../../../src/engine/records/record-row.ts'
import {
  type AuthRecord,
  makeAuthRecord,
  NO_REQUEST,
  type RequestInfo,
} from '../../../src/engine/request/request.ts'
import { ApiError } from '../../../src/platform/api-errors.ts'
import type { Config } from '../../../src/platform/config.ts'
import { isSqlError } from '../../../src/platform/db/database-errors.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { openCatalogStore, openDb } from '../../support/database/open.ts'
import { importCorpus } from '../../support/server/start.ts'
import { RECORDS, ROOT, SCHEMA } from './corpus.ts'
import type { Answer } from './pocketbase.ts'

/** The compiler on a real database with the corpus in it, without a server in between. */
export async function openWorld(config: Config) {
  const db = await openDb(config, createLogger(config))
  await migrateDatabase(db)
  const store = await openCatalogStore(db)
  await importCorpus(store, { schema: SCHEMA, fixtures: { _superusers: [ROOT], ...RECORDS } })
  const readAuth = async (name: string, id: string): Promise<AuthRecord> => {
    const collection = store.catalog.find(name)!
    const { select } = columnsOf(collection)
    const table = quoteName(toTableName(collection))
    const { rows } = await db.query(`SELECT ${select} FROM ${table} b WHERE id = $1`, [id])
    return makeAuthRecord(collection, toValues(collection, rows[0] as RecordRow), '1')
  }
  /** `root`, a superuser, and `ann`, one of the people. */
  const who: Record<string, AuthRecord> = {
    root: await readAuth('_superusers', ROOT.id),
    ann: await readAuth('people', 'per000000000002'),
  }
  const run = async (compiled: CompiledFilter) => {
    if (compiled.never) return []
    const where = compiled.where && ` WHERE ${compiled.where}`
    const order = compiled.orderBy && ` ORDER BY ${compiled.orderBy}`
    const { rows } = await db.query(
      `SELECT b.id FROM ${compiled.from}${where}${order}`,
      compiled.params,
    )
    return rows.map(([id]) => String(id))
  }
  const complete = ({ collection, as = null, ...question }: Question): FilterQuery => ({
    rule: '',
    filter: '',
    sort: '',
    request: requestOf(as === null ? null : who[as]!),
    ...question,
    collection: store.catalog.find(collection)!,
  })
  return {
    store,
    compile: (question: Question): CompiledFilter =>
      compileFilter(store.catalog, complete(question)),
    /** The template of a rule, and the query that it was made for. */
    makeTemplate(question: Question): [FilterQuery, Template] {
      const query = complete(question)
      return [query, makeTemplate(store.catalog, query, null, false)]
    },
    /** Ids as a list gives them. */
    async ask(as: string | null, name: string, filter: string, sort = 'id'): Promise<Answer> {
      const auth = as === null ? null : who[as]!
      const collection = store.catalog.find(name)!
      const query = { filter, sort, perPage: '500', fields: 'id', skipTotal: '1' }
      try {
        const rule = requireRule(collection, 'listRule', auth)
        const request = { ...requestOf(auth), query }
        return await run(compileFilter(store.catalog, { collection, rule, filter, sort, request }))
      } catch (error) {
        if (error instanceof FilterError || error instanceof ApiError) return 'refused'
        throw isSqlError(error)
          ? new Error(`${error.message} <- ${filter} sorted by ${sort}`)
          : error
      }
    },
  }
}

type Question = Partial<Omit<FilterQuery, 'collection'>> & {
  collection: string
  as?: string | null
}

const requestOf = (auth: AuthRecord | null): RequestInfo => ({ ...NO_REQUEST, auth })
