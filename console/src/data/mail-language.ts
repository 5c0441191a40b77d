import type { Language } from '#portable/languages.ts'
import { language } from '../language/language.ts'
import { isSuperuser } from './acting.ts'
import { findPersonalClient } from './client.ts'
import { session } from './session.ts'

/** The page is loaded again in a new language after so long at the latest. */
const SAVE_MS = 3_000

/** Stores the language of mails to the signed-in person. Superusers have none. Never throws. */
export async function saveMailLanguage(language: Language): Promise<void> {
  const client = findPersonalClient()
  const { record } = client.authStore
  if (!record || isSuperuser(record)) return
  const options = { signal: AbortSignal.timeout(SAVE_MS) }
  await client
    .collection('users')
    .update(record.id, { language }, options)
    .catch(() => {}) // mails stay in the former language
}

/** Gives people who have never chosen a language that of their console, for mails. */
export function watchMailLanguage(): void {
  const tried = new Set<string>()
  session.subscribe((now) => {
    if (!now || now.isVisit || now.person.language !== '' || tried.has(now.person.id)) return
    tried.add(now.person.id)
    void saveMailLanguage(language)
  })
}
