import type { CatalogDraft } from '../collections/catalog-draft.ts'
import { dropCollection } from '../collections/edit/remove.ts'
import { quote, tableName } from '../collections/names.ts'
import { withSavepoint } from '../db/savepoint.ts'
import type { ExportedCollection, Report } from './pocketbase-builtin.ts'
import { saveSource } from './pocketbase-save.ts'

/** Rows read to find faults that a query shows only then. */
const SAMPLE_SIZE = 1_000

async function saveView(draft: CatalogDraft, raw: ExportedCollection, report: Report): Promise<void> {
  const view = await saveSource(draft, raw, report)
  try {
    const sample = `select * from ${quote(tableName(view))} limit $1`
    await withSavepoint(draft.db, () => draft.db.query(sample, [SAMPLE_SIZE]))
  } catch (error) {
    await dropCollection(draft, view)
    throw error
  }
}

/** Tries each view; returns the failed ones with their errors. */
async function tryAll(draft: CatalogDraft, views: readonly ExportedCollection[], report: Report) {
  const failed: { raw: ExportedCollection; error: unknown }[] = []
  for (const raw of views) {
    try {
      await saveView(draft, raw, report)
    } catch (error) {
      failed.push({ raw, error })
    }
  }
  return failed
}

/** Creates views, in rounds as they may read each other. Unreadable ones are left out and reported. */
export async function importPocketBaseViews(
  draft: CatalogDraft,
  views: readonly ExportedCollection[],
  report: Report,
): Promise<void> {
  for (let waiting = views; waiting.length > 0; ) {
    const failed = await tryAll(draft, waiting, report)
    if (failed.length === waiting.length) return failed.forEach((one) => void reportView(one, report))
    waiting = failed.map(({ raw }) => raw)
  }
}

function reportView({ raw, error }: { raw: ExportedCollection; error: unknown }, report: Report): void {
  const { message } = error as Error
  report(`${raw.name}: the view was left out, its query does not work on Postgres: ${message}`)
}
