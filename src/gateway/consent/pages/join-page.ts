import { sql } from 'kysely'
import { isDisabled } from '../../../engine/records/disabled-user.ts'
import type { Db } from '../../../platform/db/open.ts'
import { queries } from '../../../platform/db/queries.ts'
import type { Spoken } from '../../../portable/country-languages.ts'
import type { Language } from '../../../portable/languages.ts'
import { type AccountLook, loadAccountLook } from '../../base/account-look.ts'
import { readSpoken, SPOKEN } from '../account-languages.ts'
import { hashShownText } from '../consent-entries.ts'
import { fillNames } from '../consent-texts.ts'
import { fillPageWords, type Names } from './page-words.ts'

const ID = /^[a-z0-9]{15}$/

/** The public page of a group; undefined if no enabled account has a group with this id and a page. */
const loadJoinGroup = (db: Db, id: string) =>
  queries(db, 'lookUp')
    .selectFrom('contact_groups as g')
    .innerJoin('users as u', 'u.id', 'g.user')
    .leftJoin('user_settings as o', 'o.user', 'g.user')
    .select([
      'g.id',
      'g.user',
      'g.name',
      sql<string>`account_name(u.id)`.as('account'),
      'o.country',
      SPOKEN.as('spoken'),
    ])
    .select(['g.join_text', 'g.page_text', 'g.page_consent', 'g.page_confirm'])
    .where('g.id', '=', id)
    .where('g.join_page', '=', true)
    .where(({ not }) => not(isDisabled('g.user')))
    .executeTakeFirst()

/** The public page by which people join a group, in one language. */
export interface JoinPage {
  readonly group: string
  readonly user: string
  readonly names: Names
  readonly look: AccountLook
  readonly language: Language
  /** The country of the account, ISO 3166 alpha-2; '' for none. */
  readonly country: string
  /** The languages of the account's texts about consent. */
  readonly spoken: Spoken
  /** The question that the group sends to confirm; '' for the usual one. */
  readonly question: string
  readonly confirmsBy: 'reply' | 'code'
  readonly texts: PageTexts
  /** The texts as one, and the version of it: what a person has read who agrees. */
  readonly shown: string
  readonly version: string
}

/** The sentences of a page before the person agrees, from top to bottom. '' for no text. */
interface PageTexts {
  readonly heading: string
  readonly sender: string
  readonly own: string
  readonly consent: string
  readonly terms: string
}

/** The page of a group; undefined if there is none. */
export async function findJoinPage(
  db: Db,
  id: string,
  language: Language,
): Promise<JoinPage | undefined> {
  const group = ID.test(id) ? await loadJoinGroup(db, id) : undefined
  if (!group) return undefined
  const look = await loadAccountLook(db, group.user)
  const spoken = readSpoken(group.spoken)
  const names = {
    account: group.account || group.name,
    group: group.name,
    chosen: spoken.chosen,
  }
  const texts: PageTexts = {
    heading: fillPageWords(language, 'heading', names),
    sender: fillPageWords(language, 'sender', names),
    own: group.page_text.trim(),
    consent:
      fillNames(group.page_consent.trim(), names) || fillPageWords(language, 'consent', names),
    terms: fillPageWords(language, 'terms', names),
  }
  const shown = Object.values(texts).filter(Boolean).join('\n')
  return {
    group: group.id,
    user: group.user,
    names,
    look,
    language,
    texts,
    shown,
    version: hashShownText(shown),
    country: group.country ?? '',
    spoken,
    question: group.join_text,
    confirmsBy: group.page_confirm === 'code' ? 'code' : 'reply',
  }
}
