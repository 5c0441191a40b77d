import { sql } from 'kysely'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import type { Language } from '../../../portable/languages.ts'
import { type AccountLook, loadAccountLook } from '../../base/account-look.ts'
import { readStopLink, type StopLink } from '../../base/stop-link.ts'
import { readSpoken, SPOKEN } from '../account-languages.ts'
import { isStoppedSql } from '../stopped-numbers.ts'
import { renderJoinError } from './join-form.ts'
import { escapeText, type Html, type HtmlPage, html, NOTHING, renderHtmlPage } from './page-html.ts'
import { fillPageWords, type PageWord } from './page-words.ts'

/** A group that a person can leave. */
interface LeftGroup {
  readonly id: string
  readonly name: string
}

/** The page by which a person ends the texts of an account. */
export interface LeavePage extends StopLink {
  readonly language: Language
  readonly account: string
  /** The languages whose words for STOP and START the account takes. */
  readonly chosen: readonly string[]
  readonly look: AccountLook
  /** The person's groups that have a public page: the person may leave only one of them. */
  readonly groups: readonly LeftGroup[]
  /** Whether the person has ended all texts already. */
  readonly hasLeft: boolean
}

/** Groups that a page names, at most. */
const MAX_GROUPS = 10

const loadLeaveAccount = (db: Db, { user, number }: StopLink) =>
  queries(db)
    .selectFrom('users as u')
    .leftJoin('user_settings as o', 'o.user', 'u.id')
    .select([
      sql<string>`account_name(u.id)`.as('name'),
      SPOKEN.as('spoken'),
      sql<string>`coalesce((
        select json_agg(json_build_object('id', g.id, 'name', g.name)) from (
          select g.id, g.name from contacts c join contact_groups g on g.id = any (c.groups) and g."user" = c."user"
          where c."user" = u.id and c.phone = ${number} and g.join_page order by g.name limit ${MAX_GROUPS}
        ) g), '[]')::text`.as('groups'),
      isStoppedSql(sql.ref('u.id'), number).as('hasLeft'),
    ])
    .where('u.id', '=', user)
    .executeTakeFirst()

/** The page of a link's token; undefined for a forged token, and if the account was closed. */
export async function findLeavePage(
  db: Db,
  token: string,
  language: Language,
): Promise<LeavePage | undefined> {
  const link = await readStopLink(db, token)
  const found = link && (await loadLeaveAccount(db, link))
  if (!found) return undefined
  const account = found.name || fillPageWords(language, 'unnamed')
  const look = await loadAccountLook(db, link.user)
  return {
    ...link,
    language,
    account,
    chosen: readSpoken(found.spoken).chosen,
    look,
    groups: JSON.parse(found.groups) as readonly LeftGroup[],
    hasLeft: found.hasLeft,
  }
}

/** The sentences of the page before a person presses a button. */
export const leaveText = ({ language, account, chosen, number }: LeavePage): string =>
  fillPageWords(language, 'leaveText', { account, group: '', chosen }, number)

/** A page that changes nothing: link scanners open it, too. */
export function leaveForm(shown: LeavePage, fault?: PageWord): HtmlPage {
  const { language, account, chosen, look, groups } = shown
  const button = (group: string, word: PageWord, name = ''): Html =>
    html`<button name="group" value="${escapeText(group)}">${escapeText(fillPageWords(language, word, { account, group: name, chosen }))}</button>`
  const body = html`${renderJoinError(language, fault)}
<p>${escapeText(leaveText(shown))}</p>
<form method="post">
${button('', 'leaveAll')}
${groups.length > 0 ? groups.map(({ id, name }) => button(id, 'leaveGroup', name)) : NOTHING}
</form>`
  return renderHtmlPage(language, fillPageWords(language, 'leave'), body, look, account)
}

/** The page after the texts are ended, of a group or, without one, all. */
export function renderLeftPage(
  { language, account, chosen, look, number }: LeavePage,
  group?: LeftGroup,
): HtmlPage {
  const names = { account, group: group?.name ?? '', chosen }
  const sentence = fillPageWords(language, group ? 'leftGroup' : 'leftAll', names, number)
  return renderHtmlPage(
    language,
    fillPageWords(language, 'left'),
    html`<p>${escapeText(sentence)}</p>`,
    look,
    account,
  )
}
