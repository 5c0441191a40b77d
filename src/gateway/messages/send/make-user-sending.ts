import type { CatalogStore } from '../../../engine/collections/catalog-store.ts'
import type { Extensions } from '../../../engine/records/collection-extension.ts'
import type { Config } from '../../../platform/config.ts'
import type { SendServices } from './accept-send.ts'

/** Services of sending, except a store: `makeUserSending` adds the account's. */
export interface Sending extends Omit<SendServices, 'store'> {
  readonly config: Config
  readonly extensions: Extensions
}

/** Returns a function that gives a user's services to send. Their store applies the user's limits. */
export const makeUserSending =
  (store: CatalogStore, sending: Sending) =>
  (user: string): Sending & SendServices => ({ ...sending, store: store.forUser(user) })
