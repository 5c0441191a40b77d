import type { Store } from '../../../engine/collections/catalog.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import type { Content } from './send-options.ts'

/** Files that a request names. `orLink`: undefined if it does not say whether links may leave instead. */
export interface NamedFiles {
  readonly attachments: readonly string[]
  readonly orLink: boolean | undefined
}

/**
 * Puts the files of its template before those that a request names. If it has no others, they may leave as
 * links unless the request says otherwise: its program may have been written for a template without files.
 * `uploads`: how many files the request brings.
 */
export async function addTemplateFiles(
  store: Store,
  user: string,
  content: Content,
  { attachments, orLink }: NamedFiles,
  uploads: number,
): Promise<{ readonly attachments: readonly string[]; readonly orLink: boolean }> {
  const ofTemplate = await nameTemplateFiles(store, user, content)
  const hasOthers = attachments.length + uploads > 0
  return {
    attachments: [...ofTemplate, ...attachments],
    orLink: orLink ?? (ofTemplate.length > 0 && !hasOthers),
  }
}

/** The files of a template of the user, as `attachments` of a send names them. */
async function nameTemplateFiles({ db }: Store, user: string, content: Content): Promise<string[]> {
  if ('body' in content) return []
  const { templateId } = content
  const template = await queries(db)
    .selectFrom('sms_templates')
    .select('attachments')
    .where('id', '=', templateId)
    .where(writeUnindexed('user'), '=', user)
    .executeTakeFirst()
  return (template?.attachments ?? []).map((name) => `${templateId}/${name}`)
}
