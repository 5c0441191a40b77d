import { addParam, readParam } from '../../db/params.ts'
import { withSavepoint } from '../../db/savepoint.ts'
import type { CatalogDraft } from '../catalog-draft.ts'
import { isQueryFault } from './view.ts'
import { withoutViews } from './views.ts'

/** Version of the translation of queries. Change it when translate-query.ts changes its output. */
const READING = 'views:2'

/** Recreates all views, or none, once after a change of the translation. */
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
