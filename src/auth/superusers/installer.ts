import type { Store } from '../../collections/catalog.ts'
import { randomText } from '../../tools/random.ts'
import { findByEmail } from '../auth-rows.ts'
import { signToken } from '../tokens/tokens.ts'
import { INSTALLER_EMAIL, listSuperusers, superusersOf, upsertSuperuser } from './superusers.ts'

/** Lifetime of the link. The next start prints another. */
const LINK_SECONDS = 30 * 60
const PASSWORD_LENGTH = 30

/** A link to create the first superuser; null if there is one. PocketBase: apis/installer.go */
export async function installerLink(store: Store, publicUrl: string): Promise<string | null> {
  if ((await listSuperusers(store)).length > 0) return null
  const collection = superusersOf(store)
  if (!(await findByEmail(store, collection, INSTALLER_EMAIL)))
    await upsertSuperuser(store, INSTALLER_EMAIL, randomText(PASSWORD_LENGTH))
  const standIn = await findByEmail(store, collection, INSTALLER_EMAIL)
  if (!standIn) return null // another node has made a superuser meanwhile
  const token = await signToken(standIn, 'auth', { refreshable: false, duration: LINK_SECONDS })
  return `${publicUrl}/_/#/pbinstall/${token}`
}
