import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import type { Config } from '../../../platform/config.ts'
import { evaluateSql } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'
import { withSavepoint } from '../../../platform/db/savepoint.ts'
import { counts } from '../../../platform/tools/process-counters.ts'
import { makeRandomId } from '../../../platform/tools/random.ts'
import { lockUserSends } from '../../base/lock-user-sends.ts'
import { makeAccountSender } from '../../base/make-sender.ts'
import { findOrMakeService, findService, type VerifyService } from '../../codes/find-service.ts'
import { requireDestinations } from '../../codes/limits/code-destinations.ts'
import { beginPause, countCodes } from '../../codes/limits/count-codes.ts'
import { CODE_PRIORITY } from '../../codes/limits/send-code-text.ts'
import { findPendingCode, sendVerificationCode } from '../../codes/start-verification.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import { sendInTransaction } from '../../messages/send/accept-send.ts'
import { formatInstant } from '../../messages/send/message-expiry.ts'
import { prepareOffer } from '../../messages/send/prepare-offer.ts'
import { makePlainSend } from '../../messages/send/send-options.ts'
import type { AcceptConfig } from '../../messages/send/store-offers.ts'
import { PAUSE_SECONDS } from '../consent-answer.ts'
import { addConsentQuestion } from '../consent-entries.ts'
import { fillNames, renderConsentText } from '../consent-texts.ts'
import { isErasedOrStoppedSql } from '../stopped-numbers.ts'
import type { JoinPage } from './join-page.ts'

type PageConfig = AcceptConfig & Pick<Config, 'maxRecipients'>

/** A person who asks for texts by a page. `number`: E.164, perhaps of another person. */
export interface Visitor {
  readonly number: string
  readonly address: string
  readonly browser: string
}

/** The service of Verify whose codes confirm numbers of pages. */
export const SERVICE = 'join page'

/** A question that has waited longer is not sent. */
const MAX_WAIT_MS = 3_600_000

/**
 * Texts a number to confirm that it joins a group, and adds an entry to `consents`. A number that has joined
 * or opted out gets no text, and the visitor does not learn that: the same is done for it, and undone. Throws
 * 402, 403 and 429 at the limits of pages, and as `send`.
 */
export async function askToJoin(
  store: Store,
  config: PageConfig,
  page: JoinPage,
  visitor: Visitor,
): Promise<void> {
  const { number, address } = visitor
  const { user } = page
  await requireDestinations(store, user, [number], 'page')
  const service = await findService(store, user, await findOrMakeService(store, user, SERVICE))
  const wake = await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await countCodes(inside, config, { asker: 'page', user, phones: [number], ip: address })
    await beginPause(db, user, number, PAUSE_SECONDS, 'page')
    const isTrial = await needsNoText(db, page, number)
    const question = makeConsentEntry(page, visitor)
    const send = () =>
      page.confirmsBy === 'code'
        ? sendPageCode(inside, config, page, number, service)
        : sendQuestion(inside, config, page, number)
    await lockUserSends(db, user)
    try {
      return await withSavepoint(db, async () => {
        // a trial begins as if the person had texted a word, which ends opt-outs until it is undone
        if (isTrial)
          await addConsentQuestion(db, { ...question, id: makeRandomId(), source: 'keyword' })
        const { message, wake } = await send()
        if (isTrial) throw new Undone()
        await addConsentQuestion(db, { ...question, id: message })
        return wake
      })
    } catch (error) {
      if (!(error instanceof Undone)) throw error
      counts.accepted.messages--
      return []
    }
  })
  wakeDevices(store.db, wake)
}

class Undone extends Error {}

/** Fields of `consents` about what a visitor of a page has agreed to. */
const makeConsentEntry = (
  { user, group, shown, version }: JoinPage,
  { number, address, browser }: Visitor,
) => ({
  user,
  number,
  group,
  source: 'page' as const,
  shown,
  version,
  address,
  browser,
})

/** Whether a number has joined the group or opted out of all texts, or its person was erased. */
const needsNoText = (db: Db, { user, group }: JoinPage, number: string): Promise<boolean> =>
  evaluateSql(
    db,
    sql<boolean>`exists (select from consent_states s where s."user" = ${user} and s.number = ${number}
        and s."group" = ${group} and s.purpose = '' and s.state = 'given')
      or ${isErasedOrStoppedSql(user, number)}`,
  )

/** Sends the question "Reply YES". Returns the id of its text and the devices to wake. */
async function sendQuestion(store: Store, config: PageConfig, page: JoinPage, number: string) {
  const { user, names, question, spoken, language } = page
  const body = question
    ? fillNames(question, names)
    : renderConsentText('ask', spoken, names, language)
  const expiresAt = formatInstant(Date.now() + MAX_WAIT_MS)
  const options = { expiresAt, priority: CODE_PRIORITY, isBulk: true }
  const offer = await prepareOffer(
    store,
    config,
    makeAccountSender(user, user),
    makePlainSend(number, body, options),
  )
  return { message: offer.messages[0]!.id, wake: await sendInTransaction(store, config, offer) }
}

/** Sends a code of Verify. Returns as `sendQuestion`. */
async function sendPageCode(
  store: Store,
  config: PageConfig,
  page: JoinPage,
  to: string,
  service: VerifyService,
) {
  const { user, names, language, spoken } = page
  const start = {
    sender: makeAccountSender(user, user),
    to,
    locale: language,
    length: 0,
    ttl: 0,
    domain: '',
    appHash: '',
    // the braces of a name are not variables
    template: renderConsentText(
      'code',
      spoken,
      {
        account: names.account.replaceAll('{{', '{ {'),
        group: names.group.replaceAll('{{', '{ {'),
      },
      language,
    ),
  }
  return sendVerificationCode(
    { store, config },
    service,
    start,
    await findPendingCode(store.db, service.id, to),
  )
}
