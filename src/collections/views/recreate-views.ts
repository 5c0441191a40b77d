import { addParam, readParam } from '../../db/params.ts'
import { withSavepoint } from '../../db/savepoint.ts'
import type { CatalogDraft } from '../catalog-draft.ts'
import { isQueryFault } from './view.ts'
import { withoutViews } from './views.ts'

/**
 * Which reading of SQLite's SQL this is. Another name is due whenever translate-query.ts makes something else
 * of a query.
 */
const READING = 'views:2'

/**
 * Makes all views anew, once, if they were made by an earlier reading of their queries. They stay as they
 * were if one of them cannot be made any more.
 */
export async function recreateViews(draft: CatalogDraft): Promise<void> {
  if ((await readParam(draft.db, READING)) !== undefined) return
  await addParam(draft.db, READING, '{}')
  if (!draft.catalog.all.some(({ type }) => type === 'view')) return
  try {
    await withSavepoint(draft.db, () => withoutViews(draft, '', async () => {}))
  } catch (error) {
    if (!isQueryFault(error)) throw error
  }
}
