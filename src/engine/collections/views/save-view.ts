import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { withSavepoint } from '../../../platform/db/savepoint.ts'
import type { CatalogDraft } from '../catalog.ts'
import type { Collection, ViewCollection } from '../collection.ts'
import { toTableName } from '../sql-names.ts'
import { translateViewQuery, writeViewSelect } from './view-query.ts'

const writeViewName = (collection: ViewCollection) => sql.id(toTableName(collection))

export async function dropView(db: Db, collection: ViewCollection, cascade = false): Promise<void> {
  await sql`drop view if exists ${writeViewName(collection)} ${sql.raw(cascade ? 'cascade' : '')}`.execute(
    db,
  )
}

const listDraftViews = (draft: CatalogDraft): ViewCollection[] =>
  draft.catalog.all.filter((collection) => collection.type === 'view')

const renderFieldShape = ({ fields }: { readonly fields: Collection['fields'] }) =>
  JSON.stringify(fields.map((field) => ({ ...field, id: '' })))

async function createView(draft: CatalogDraft, next: ViewCollection): Promise<void> {
  const query = await translateViewQuery(draft, next.viewQuery)
  await sql`create view ${writeViewName(next)} as ${sql.raw(writeViewSelect(query))}`.execute(
    draft.db,
  )
  await draft.put({ ...next, fields: query.fields })
}

/** Writes a view collection. Recreates its view in Postgres only if its query or fields change. */
export async function saveView(
  draft: CatalogDraft,
  next: ViewCollection,
  old?: ViewCollection,
): Promise<void> {
  if (!old) return createView(draft, next)
  if (old.name !== next.name)
    await sql`alter view ${writeViewName(old)} rename to ${writeViewName(next)}`.execute(draft.db)
  const { fields } = await translateViewQuery(draft, next.viewQuery)
  if (old.viewQuery === next.viewQuery && renderFieldShape(old) === renderFieldShape({ fields }))
    return draft.put({ ...next, fields })
  await withViewsDropped(draft, next.id, () => dropView(draft.db, next), [next])
}

/** Recreates views whose fields changed, as PocketBase does. Returns an error message per failed view. */
export async function refreshViews(draft: CatalogDraft, except: string): Promise<string[]> {
  const problems: string[] = []
  for (const { id } of listDraftViews(draft)) {
    if (id === except) continue
    const view = draft.catalog.find(id) as ViewCollection
    try {
      await withSavepoint(draft.db, async () => {
        const { fields } = await translateViewQuery(draft, view.viewQuery)
        if (renderFieldShape(view) !== renderFieldShape({ fields }))
          await saveView(draft, view, view)
      })
    } catch (error) {
      problems.push(`[${view.name}] ${(error as Error).message}`)
    }
  }
  return problems
}

/**
 * Drops all views but `except`, because Postgres refuses to change what a view reads. Runs `work`, then
 * creates the views and `more`. Tries failed views again, because views may read each other.
 */
export async function withViewsDropped(
  draft: CatalogDraft,
  except: string,
  work: () => Promise<void>,
  more: readonly ViewCollection[] = [],
): Promise<void> {
  const taken = listDraftViews(draft).filter(({ id }) => id !== except)
  for (const view of taken) await dropView(draft.db, view, true)
  await work()
  let waiting = [...more, ...taken]
  while (waiting.length > 0) {
    const failed: { view: ViewCollection; error: unknown }[] = []
    for (const view of waiting) {
      try {
        await withSavepoint(draft.db, () => createView(draft, view))
      } catch (error) {
        failed.push({ view, error })
      }
    }
    if (failed.length === waiting.length) throw failed[0]!.error
    waiting = failed.map(({ view }) => view)
  }
}
