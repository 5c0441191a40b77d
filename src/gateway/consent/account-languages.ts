import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Value } from '../../engine/fields/field.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { listOptOutLanguages, type Spoken } from '../../portable/country-languages.ts'
import { updateRecords } from '../base/message-status.ts'

type Values = Readonly<Record<string, Value>>

const FIELD = 'opt_out_languages'
const isSame = (one: readonly string[], other: readonly string[]) => String(one) === String(other)
const readList = ({ opt_out_languages: list }: Values) => list as unknown as readonly string[]

/** Whether a body names the languages, also as `opt_out_languages+`. */
const isNamed = (body: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(body).some((name) => name.replace(/^\+|[+-]$/g, '') === FIELD)

/**
 * Completes settings of an account: opt-out languages follow its country and its owner's language when these
 * are first stored, until somebody chooses. `body`: what a person or program has given. `old`: the stored
 * settings; absent for new ones.
 */
export function completeOptOutLanguages(
  values: Record<string, Value>,
  body: Readonly<Record<string, unknown>>,
  language = '',
  old?: Values,
): void {
  const isChosen = isNamed(body)
  values.opt_out_chosen = isChosen || old?.opt_out_chosen === true
  const country = String(old?.country ?? '')
  const follows = !old || isSame(readList(old), listOptOutLanguages('', language))
  if (values.opt_out_chosen || country !== '' || !follows) return
  values.opt_out_languages = listOptOutLanguages(String(values.country ?? ''), language)
}

/** The language of an account's owner; '' if it is unknown. */
export async function loadOwnerLanguage({ db }: Pick<Store, 'db'>, user: string): Promise<string> {
  const owner = await queries(db)
    .selectFrom('users')
    .select('language')
    .where('id', '=', user)
    .executeTakeFirst()
  return owner?.language ?? ''
}

/** Adds the opt-out words of an owner's language, when it is first stored, unless somebody has chosen. */
export async function followOwnerLanguage(db: Db, user: string, language: string): Promise<void> {
  const settings = await queries(db)
    .selectFrom('user_settings')
    .select(['country', 'opt_out_languages', 'opt_out_chosen'])
    .where('user', '=', user)
    .executeTakeFirst()
  if (!settings || settings.opt_out_chosen) return
  const { country, opt_out_languages: list } = settings
  const languages = listOptOutLanguages(country, language)
  if (isSame(list, languages) || !isSame(list, listOptOutLanguages(country, ''))) return
  await updateRecords(db, 'user_settings', (update) =>
    update.set({ opt_out_languages: languages }).where('user', '=', user),
  )
}

/** SQL: what is known of an account's languages. `u`: the row of `users`, `o`: its settings, or nulls. */
export const SPOKEN = sql<string>`json_build_object('chosen', o.opt_out_languages,
  'country', coalesce(o.country, ''), 'language', u.language)::text`

/** Reads SPOKEN. An account without settings takes the opt-out words of its owner's language. */
export function readSpoken(column: string): Spoken {
  const found = JSON.parse(column) as Omit<Spoken, 'chosen'> & { chosen: string[] | null }
  return { ...found, chosen: found.chosen ?? listOptOutLanguages('', found.language) }
}

/** The languages whose opt-out words an account takes. */
export async function loadOptOutLanguages(db: Db, user: string): Promise<readonly string[]> {
  const found = await queries(db)
    .selectFrom('users as u')
    .leftJoin('user_settings as o', 'o.user', 'u.id')
    .select(SPOKEN.as('spoken'))
    .where('u.id', '=', user)
    .executeTakeFirst()
  return found ? readSpoken(found.spoken).chosen : []
}
