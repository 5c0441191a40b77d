import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { UserError } from '../../platform/api-errors.ts'
import { queries } from '../../platform/db/queries.ts'
import type { ReportProgress } from '../../platform/tools/progress.ts'
import { INSTALLER_EMAIL } from '../auth/superusers.ts'
import { recordTerminalAudit } from '../auth/write-audit-log.ts'
import type { CatalogDraft } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import { type Collection, SUPERUSERS } from '../collections/collection.ts'
import { toTableName } from '../collections/sql-names.ts'
import type { Extensions } from '../records/collection-extension.ts'
import { beginImport } from './begin-import.ts'
import { countLeftOut, type LeftOutCounts } from './drop-lost-links.ts'
import {
  type ExportedCollection,
  type ReportSentence,
  readCollections,
} from './exported-collection.ts'
import { vacuumCollection } from './insert-rows.ts'
import { makeUnreadableError, openPocketBase, type PocketBaseData } from './open-pocketbase.ts'
import { openStorage, type PocketBaseStorage } from './pocketbase-files.ts'

export interface FolderImport {
  readonly draft: CatalogDraft
  readonly data: PocketBaseData
  readonly raws: readonly ExportedCollection[]
  readonly storage: PocketBaseStorage
  readonly progress: ReportProgress
  readonly report: ReportSentence
  readonly leftOut: LeftOutCounts
}

/** Imports a data directory into an empty store, all or nothing, by calling `bring`. Returns a summary. */
export async function importFolder(
  store: CatalogStore,
  extensions: Extensions,
  folder: string,
  progress: ReportProgress,
  bring: (work: FolderImport) => Promise<{ collections: readonly Collection[]; records: number }>,
): Promise<string> {
  const data = openPocketBase(folder)
  const notes: string[] = []
  const report: ReportSentence = (sentence) => notes.push(`- ${sentence}`)
  const storage = openStorage(folder, progress)
  const leftOut = countLeftOut(extensions)
  try {
    const raws = readCollections(data)
    const tables = raws.filter(({ type }) => type !== 'view')
    const total = tables.reduce((sum, { name }) => sum + data.count(name), 0)
    const done = await store.change(async (draft) => {
      await beginImport(draft.db, extensions)
      await requireEmptyDatabase(draft)
      const brought = await bring({ draft, data, raws, storage, progress, report, leftOut })
      leftOut.report(report)
      if (existsSync(join(folder, 'auxiliary.db')))
        report('logs: left behind, requests are logged on standard output here.')
      const fields = brought.collections.map(({ name }) => name)
      await recordTerminalAudit(draft.db, { action: 'import', fields })
      const { missing, left } = storage.counts()
      if (missing > 0) report(`files: ${missing} that records name are not in the folder storage.`)
      if (left > 0) report(`files: ${left} that no record names were left behind.`)
      warnOfRules(draft.catalog.all, report)
      return brought
    })
    for (const collection of store.catalog.all)
      if (collection.type !== 'view') await vacuumCollection(store, collection)
    const views = store.catalog.all.filter(({ type }) => type === 'view').length
    const counts = `Imported ${done.collections.length} collections, ${views} views, ${done.records} of ${total} records and ${storage.counts().imported} files.`
    return [counts, ...notes].join('\n')
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR'
      ? makeUnreadableError(folder, error)
      : error
  } finally {
    data.close()
  }
}

async function requireEmptyDatabase(draft: CatalogDraft): Promise<void> {
  const refuse = (what: string) => {
    throw new UserError(`The store is not empty: ${what}. Import into a new one.`)
  }
  for (const collection of draft.catalog.all) {
    if (!collection.system && !draft.catalog.isBuiltIn(collection))
      refuse(`it has the collection ${collection.name}`)
    const others = collection.name === SUPERUSERS ? sql`where email <> ${INSTALLER_EMAIL}` : sql``
    const { rows } =
      await sql`select from ${sql.id(toTableName(collection))} ${others} limit 1`.execute(draft.db)
    if (rows.length > 0) refuse(`there are records in ${collection.name}`)
  }
  await queries(draft.db).deleteFrom('_superusers').execute()
}

/** Warns of rules that let guests read users, or let users set fields by which other rules decide. */
function warnOfRules(collections: readonly Collection[], report: ReportSentence): void {
  const rules = collections.flatMap((collection) =>
    Object.entries(collection)
      .filter(([key]) => key.endsWith('Rule'))
      .map(([key, text]) => ({ name: `${collection.name}.${key}`, text: String(text ?? '') })),
  )
  for (const collection of collections) {
    if (collection.type !== 'auth') continue
    for (const name of ['listRule', 'viewRule'] as const) {
      if (collection[name]?.trim() !== '') continue
      report(`WARNING: ${collection.name}.${name} is empty: it lets guests read all its records.`)
    }
    for (const { name, hidden, system } of collection.fields) {
      const readers = rules
        .filter(({ text }) => readsRequestField(text, 'auth', name))
        .map((rule) => rule.name)
      if (hidden || system || readers.length === 0) continue
      for (const rule of ['createRule', 'updateRule'] as const) {
        const text = collection[rule]
        const isGuarded = text == null || readsRequestField(text, 'body', name)
        // no warning if the rule demands a value that the user already has in the field
        if (isGuarded || (readsRequestField(text, 'auth', name) && !text.includes('||'))) continue
        report(
          `WARNING: ${collection.name}.${rule} lets users choose their own "${name}", on which these rules decide: ${readers.join(', ')}.`,
        )
      }
    }
  }
}

const readsRequestField = (rule: string, part: 'auth' | 'body', field: string) =>
  new RegExp(`@request\\.${part}\\.${field}\\b`).test(rule)
