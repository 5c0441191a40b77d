import type { TextWithCode } from '../../../engine/auth/auth-services.ts'
import type { Store } from '../../../engine/collections/catalog.ts'
import { formatDate } from '../../../engine/fields/parse-date.ts'
import type { Config } from '../../../platform/config.ts'
import { makeAccountSender } from '../../base/make-sender.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import { sendBodyInTransaction } from '../../messages/send/accept-send.ts'
import { makePlainSend } from '../../messages/send/send-options.ts'
import type { AcceptConfig } from '../../messages/send/store-offers.ts'
import { requireDestinations } from './code-destinations.ts'
import { countCodes } from './count-codes.ts'

export const CODE_PRIORITY = 100

/** Texts a one-time password by one of the user's lines. Throws 403, 402, 429, and as `send`. */
export async function sendCodeText(
  store: Store,
  config: AcceptConfig & Pick<Config, 'maxRecipients'>,
  user: string,
  { to, body, shown, seconds, ip }: TextWithCode,
): Promise<void> {
  await requireDestinations(store, user, [to])
  const expiresAt = formatDate(new Date(Date.now() + seconds * 1000))
  const options = { expiresAt, priority: CODE_PRIORITY, isBulk: true }
  const text = makePlainSend(to, { body, shown }, options)
  const wake = await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await countCodes(inside, config, { user, phones: [to], ip })
    return sendBodyInTransaction(inside, config, makeAccountSender(user, user), text)
  })
  wakeDevices(store.db, wake)
}
