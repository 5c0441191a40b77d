import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import { queries } from '../db/queries.ts'
import { beginPause, takeCodes } from '../sms/codes/counts.ts'
import { requireDestinations } from '../sms/codes/destinations.ts'
import { CODE_PRIORITY } from '../sms/codes/text-code.ts'
import { addQuestion } from '../sms/consent/ledger.ts'
import { isErasedOrStoppedSql } from '../sms/consent/stopped.ts'
import { fillNames, wordingOf } from '../sms/consent/wording.ts'
import { PAUSE_SECONDS } from '../sms/conversations/consent-answer.ts'
import type { AcceptConfig } from '../sms/send/accept.ts'
import { PLAIN_OPTIONS, toOne } from '../sms/send/body.ts'
import { dateAt } from '../sms/send/expiry.ts'
import { prepareOffer, sendInside } from '../sms/send/send.ts'
import { accountSender } from '../sms/send/sender.ts'
import { wakeDevices } from '../sms/wake.ts'
import { serviceNamed } from '../verify/find-service.ts'
import { startVerification } from '../verify/start.ts'
import type { JoinPage } from './join-page.ts'
import { requireLine } from './require-line.ts'

export type PageConfig = AcceptConfig & Pick<Config, 'maxRecipients'>

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
 * or opted out gets no text, and the visitor does not learn that. Throws 402, 403 and 429 at the limits of
 * codes, and as `send`.
 */
export async function askToJoin(
  store: Store,
  config: PageConfig,
  page: JoinPage,
  visitor: Visitor,
): Promise<void> {
  const { number, address } = visitor
  const { user } = page
  await requireDestinations(store, user, [number])
  if (page.confirmsBy === 'code' && !(await needsNoText(store.db, page, number))) {
    await textCode(store, config, page, visitor)
    return
  }
  const wake = await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    await takeCodes(inside, config, { user, phones: [number], ip: address })
    await beginPause(db, user, number, PAUSE_SECONDS)
    if (await needsNoText(db, page, number)) {
      await requireLine(inside, config, user)
      return []
    }
    await addQuestion(db, entryOf(page, visitor))
    return sendQuestion(inside, config, page, number)
  })
  wakeDevices(store.db, wake)
}

/** Fields of `consents` about what a visitor of a page has agreed to. */
const entryOf = ({ user, group, shown, version }: JoinPage, { number, address, browser }: Visitor) => ({
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
async function needsNoText(db: Db, { user, group }: JoinPage, number: string): Promise<boolean> {
  const { isSettled } = await queries(db)
    .selectNoFrom(
      sql<boolean>`exists (select from consent_states s where s."user" = ${user} and s.number = ${number}
          and s."group" = ${group} and s.purpose = '' and s.state = 'given')
        or ${isErasedOrStoppedSql(user, number)}`.as('isSettled'),
    )
    .executeTakeFirstOrThrow()
  return isSettled
}

/** Sends the question "Reply YES", in the transaction of its entry. Returns the devices to wake. */
async function sendQuestion(store: Store, config: PageConfig, page: JoinPage, number: string) {
  const { user, names, question, languages } = page
  const body = question ? fillNames(question, names) : wordingOf('ask', languages, names)
  const expiresAt = dateAt(Date.now() + MAX_WAIT_MS)
  const options = { ...PLAIN_OPTIONS, expiresAt, priority: CODE_PRIORITY, isBulk: true }
  const offer = await prepareOffer(store, config, accountSender(user, user), toOne(number, body, options))
  return sendInside(store, config, offer)
}

/**
 * Texts a code of Verify, whose limits hold. The entry follows: after a crash between them, the code confirms
 * nothing.
 */
async function textCode(store: Store, config: PageConfig, page: JoinPage, visitor: Visitor): Promise<void> {
  const { user, names, language } = page
  await startVerification(
    { store, config },
    {
      ...{ sender: accountSender(user, user), to: visitor.number, ip: visitor.address, locale: language },
      ...{ service: await serviceNamed(store, user, SERVICE), templateId: '', length: 0, ttl: 0 },
      ...{ domain: '', appHash: '' },
      // the pause of numbers that get no text: else its length shows who has joined
      pauseSeconds: PAUSE_SECONDS,
      // the braces of a name are not variables
      template: wordingOf('code', languageOf(page), {
        account: names.account.replaceAll('{{', '{ {'),
        group: names.group.replaceAll('{{', '{ {'),
      }),
    },
  )
  await store.db.transaction((db) => addQuestion(db, entryOf(page, visitor)))
}

/** The account's languages first, as for all texts about consent. */
const languageOf = ({ language, languages }: JoinPage) => [...languages, language]
