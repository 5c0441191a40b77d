import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, queries } from '../../../platform/db/queries.ts'
import type { Language } from '../../../portable/languages.ts'
import type { Store } from '../../collections/catalog.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import { isEmail } from '../../fields/email.ts'
import { deleteLinked } from '../../records/revoke-sign-ins.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { AuthServices } from '../auth-services.ts'
import { mailNotice } from '../mail-notice.ts'
import { completeProvider } from './complete-provider-profile.ts'
import type { OAuth2Identity } from './identify-by-oauth2.ts'

/** Most links that are listed. PocketBase has at most one of a record for each provider. */
export const MAX_LINKS = 100

export const LINK = z
  .object({
    id: z.string().describe('Id of the record of `_externalAuths`.'),
    provider: z.string().describe('The provider, as the collection calls it.'),
    created: z.string().describe('When the link was made.'),
  })
  .meta({ id: 'ProviderLink' })
type ProviderLink = z.output<typeof LINK>

/** The accounts at providers that sign in to a record, the newest link first. */
export async function listLinks(db: Db, auth: AuthRecord): Promise<ProviderLink[]> {
  const { id, oauth2 } = auth.collection as AuthCollection
  const found = await queries(db)
    .selectFrom('_externalAuths')
    .select(['id', 'provider', 'created'])
    .where('collectionRef', '=', id)
    .where('recordRef', '=', auth.id)
    .orderBy('created', 'desc')
    .orderBy('id')
    .limit(sql.lit(MAX_LINKS))
    .execute()
  const names = new Map(
    oauth2.providers.map((one) => [one.name, completeProvider(one)?.displayName ?? one.name]),
  )
  return found.map((link) => ({ ...link, provider: names.get(link.provider) ?? link.provider }))
}

/** Ends links of a record: its accounts at these providers sign in no more. */
export const endLinks = (store: Store, auth: AuthRecord, ids: readonly string[]) =>
  deleteLinked(store, '_externalAuths', (query) =>
    query
      .where('collectionRef', '=', auth.collection.id)
      .where('recordRef', '=', auth.id)
      .where('id', '=', matchAny(ids)),
  )

/** Mails in the background that a provider's account opens the record from now on. */
export function mailNewLink(
  services: AuthServices,
  auth: AuthRecord,
  { provider, profile }: OAuth2Identity,
  browser: Language | undefined,
): void {
  // names at a provider are not shown: the person who made the link has chosen them
  const name = isEmail(profile.email) ? profile.email : ''
  const values = { provider: provider.displayName, name }
  const lines = [name ? 'linkedNamed' : 'linked', 'linkedEnd', 'signInIgnore'] as const
  mailNotice(services, auth, { subject: 'linkedSubject', lines, values }, browser)
}
