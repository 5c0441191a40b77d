import { parseJson } from '../../platform/tools/json.ts'
import type { ReportProgress } from '../../platform/tools/progress.ts'
import type { CatalogDraft } from '../collections/catalog.ts'
import type { CatalogStore } from '../collections/catalog-store.ts'
import type { Extensions } from '../records/collection-extension.ts'
import { SETTINGS_SHAPE } from '../settings/settings-shape.ts'
import { writeSettings } from '../settings/settings-store.ts'
import { dropLostRelations } from './drop-lost-links.ts'
import type { ReportSentence } from './exported-collection.ts'
import { importFolder } from './import-folder.ts'
import { importRecords } from './import-records.ts'
import { type PocketBaseData, readSqliteText } from './open-pocketbase.ts'
import { importPocketBaseTables, importPocketBaseViews } from './pocketbase-collections.ts'

/**
 * Imports a PocketBase data directory (0.23 or later) into an empty store: all that the API would take, or
 * nothing. Users stay signed in. Never writes to the source. Returns a summary. Throws a UserError for data
 * that cannot be imported.
 */
export const importPocketBase = (
  store: CatalogStore,
  extensions: Extensions,
  folder: string,
  progress: ReportProgress,
) =>
  importFolder(store, extensions, folder, progress, async (work) => {
    const { draft, data, raws, report } = work
    const collections = await importPocketBaseTables(draft, raws, report)
    let records = 0
    for (const collection of collections) records += await importRecords(work, collection)
    records -= await dropLostRelations(draft, work.leftOut, collections)
    const views = raws.filter(({ type }) => type === 'view')
    await importPocketBaseViews(draft, views, report)
    await importSettings(draft, data, report)
    return { collections, records }
  })

/** Imports the settings that also exist in pocketsms. If they are encrypted, only reports that. */
async function importSettings(
  draft: CatalogDraft,
  data: PocketBaseData,
  report: ReportSentence,
): Promise<void> {
  const row = [...data.rows('_params')].find(({ id }) => id === 'settings')
  if (!row) return
  const stored = parseJson(readSqliteText(row.value))
  if (stored === undefined) return report('settings: left out, they are encrypted.')
  const settings = SETTINGS_SHAPE.over(stored, SETTINGS_SHAPE.fresh())
  if (settings.s3.enabled) report('settings: files in S3 were not copied.')
  if (settings.backups.cron)
    report('settings: backups on a schedule are not made here; see README.md.')
  await writeSettings(draft.db, settings)
}
