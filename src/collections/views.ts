import { attempt } from './attempt.ts'
import type { CatalogDraft } from './catalog-draft.ts'
import type { Collection, ViewCollection } from './collection.ts'
import { createView, dropView, readQuery } from './view.ts'

const isView = (collection: Collection): collection is ViewCollection => collection.type === 'view'

/** Fields of a view without their ids, which are new each time. */
const shape = ({ fields }: Pick<Collection, 'fields'>) =>
  JSON.stringify(fields.map((field) => ({ ...field, id: '' })))

/** Writes a view collection, new or not, with the fields that its query gives now. */
export async function saveView(
  draft: CatalogDraft,
  next: ViewCollection,
  old?: ViewCollection,
): Promise<void> {
  if (old) await dropView(draft.db, old)
  const query = await readQuery(draft, next.viewQuery)
  await createView(draft.db, next, query)
  await draft.put({ ...next, fields: [...query.fields] })
}

/**
 * After a change of a collection: views whose fields are others now are made anew. Answers why a view could not be
 * read any more, a sentence for each. PocketBase: core/collection_query.go
 */
export async function refreshViews(draft: CatalogDraft, except: string): Promise<string[]> {
  const problems: string[] = []
  for (const view of draft.catalog.all.filter(isView)) {
    if (view.id === except) continue
    try {
      await attempt(draft.db, async () => {
        const { fields } = await readQuery(draft, view.viewQuery)
        if (shape(view) !== shape({ fields: [...fields] })) await saveView(draft, view, view)
      })
    } catch (error) {
      problems.push(`[${view.name}] ${(error as Error).message}`)
    }
  }
  return problems
}

/**
 * Takes all views away while `work` changes the type of a column, which Postgres does not allow under a view, and
 * makes them anew. A view may read another one: those that cannot be made yet wait for the next round. Throws what
 * Postgres says if one cannot be made at all.
 */
export async function withoutViews(draft: CatalogDraft, work: () => Promise<void>): Promise<void> {
  let waiting = draft.catalog.all.filter(isView)
  for (const view of waiting) await dropView(draft.db, view, true)
  await work()
  while (waiting.length > 0) {
    const failed: { view: ViewCollection; error: unknown }[] = []
    for (const view of waiting) {
      try {
        await attempt(draft.db, () => saveView(draft, view))
      } catch (error) {
        failed.push({ view, error })
      }
    }
    if (failed.length === waiting.length) throw failed[0]!.error
    waiting = failed.map(({ view }) => view)
  }
}
