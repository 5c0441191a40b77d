import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { countSegments } from '../../portable/segments.ts'
import { makeAccountSender } from '../base/make-sender.ts'
import { requirePermit } from '../base/permissions.ts'
import { SERVER_REFS } from '../base/server-refs.ts'
import { tryBeginHelpPause } from '../codes/limits/count-codes.ts'
import { makeConsentAnswer, PAUSE_SECONDS } from '../consent/consent-answer.ts'
import { isHelp } from '../consent/consent-words.ts'
import { isStoppedSql } from '../consent/stopped-numbers.ts'
import { refuseEmptyVariable } from '../messages/send/missing-variables.ts'
import type { Offer } from '../messages/send/offer.ts'
import { makeOffer } from '../messages/send/prepare-offer.ts'
import { PLAIN_OPTIONS } from '../messages/send/send-options.ts'
import type { AcceptConfig } from '../messages/send/store-offers.ts'
import { type Text, writeTexts } from '../messages/send/write-text-bodies.ts'
import { type AnswerFiles, findAnswerFiles } from './answer-pictures.ts'
import { matchesKeyword } from './keyword-match.ts'

// Which automatic answer a received text gets, and its words.

/**
 * Finds a text if it may be answered: no answer yet, user enabled. `simulatedLine`: the line that received
 * it, if it belongs to a simulated phone. `sent`: automatic answers that the sender got in the last 24 hours.
 */
export const findAnswerable = (db: Db, user: string, id: string) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .select(({ selectFrom, fn }) => [
      ...(['m.id', 'm.user', 'm.from', 'm.body', 'm.subject'] as const),
      selectFrom('devices as d')
        .select('m.line')
        .whereRef('d.id', '=', 'm.device')
        .where('d.platform', '=', 'simulator')
        .as('simulatedLine'),
      selectFrom('auto_answers_sent as s')
        .select(fn.countAll<number>().as('sent'))
        .whereRef('s.user', '=', 'm.user')
        .whereRef('s.number', '=', 'm.from')
        .where('s.at', '>', sql<Date>`now() - interval '24 hours'`)
        .$asScalar()
        .$notNull()
        .as('sent'),
      isStoppedSql(user, sql.ref('m.from')).as('isOptedOut'),
    ])
    .where('m.id', '=', id)
    .where('m.user', '=', user)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('auto_answers_sent as s').whereRef('s.message', '=', 'm.id'))),
    )
    .where(({ not }) => not(isDisabled('m.user')))
    .executeTakeFirst()

export type Answerable = NonNullable<Awaited<ReturnType<typeof findAnswerable>>>

/** The `client_ref` of the automatic answer to a text. */
const makeAnswerRef = (id: string): string => SERVER_REFS.answer + id

/** Whether this sender may get an automatic answer: no name, and no short code. */
export const isAnswerable = (sender: string): boolean => E164.test(sender)

/** Maximum automatic answers to a number in 24 hours. The limit stops two machines that answer each other. */
export const MAX_ANSWERS_A_DAY = 5
/** A text is compared with at most this many automatic answers of the account, the oldest ones. */
const MAX_ANSWERS = 50
/** A text that has waited longer gets no answer. An answer that has waited longer is not sent. */
export const MAX_ANSWER_DELAY_MS = 3_600_000

/**
 * Reads the automatic answers whose lines, hours and pause let them answer a text now, oldest first. Leaves
 * out those without a text, whose template was deleted.
 */
const loadDueAnswers = (db: Db, user: string, id: string) =>
  queries(db)
    .selectFrom('auto_answers as a')
    .innerJoin('sms_messages as m', (join) => join.on('m.id', '=', id))
    .leftJoin('sms_templates as t', 't.id', 'a.template')
    .select(['a.id', 'a.match', 'a.value', 'a.body', 'a.template', 'a.attachments', 'a.label'])
    .select('t.attachments as template_files')
    .where('a.user', '=', user)
    .where('a.enabled', '=', true)
    .where(({ or, eb }) => or([eb('a.body', '<>', ''), eb('a.template', '<>', '')]))
    .where(sql<boolean>`(cardinality(a.lines) = 0 or m.line = any(a.lines))`)
    .where(sql<boolean>`(a.hours_from = '' or a.hours_to = ''
      or sms_quiet_until(a.hours_from, a.hours_to, a.days, sms_time_zone(${user}), now()) is not null)`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('auto_answers_sent as s')
            .where('s.user', '=', user)
            .whereRef('s.number', '=', 'm.from')
            .whereRef('s.answer', '=', 'a.id')
            .where('s.at', '>', sql<Date>`now() - a.pause_hours * interval '1 hour'`),
        ),
      ),
    )
    .orderBy('a.created')
    .orderBy('a.id')
    .limit(sql.lit(MAX_ANSWERS))
    .execute()

/** `files`: those that the answer may leave with; absent for an answer about consent. */
export interface DueAnswer {
  readonly offer: Offer
  readonly files?: AnswerFiles
  /** The label that the conversation gets; '' for none. */
  readonly label: string
  /** Whether the person then no longer waits: still after an answer to any text. */
  readonly endsWaiting: boolean
}

/**
 * Writes the answer about consent, else the first automatic answer that matches. An account's own answer to a
 * text for help is the first choice. A person who has opted out gets answers to texts for help alone, one in
 * each pause. Undefined if no answer matches or its template fails.
 */
export async function makeDueAnswer(
  store: Store,
  config: AcceptConfig,
  received: Answerable,
): Promise<DueAnswer | undefined> {
  const { id, user, from, isOptedOut } = received
  const asksForHelp = isHelp(received)
  if (
    isOptedOut &&
    !(asksForHelp && (await tryBeginHelpPause(store.db, user, from, PAUSE_SECONDS)))
  )
    return
  const answers = await loadDueAnswers(store.db, user, id)
  const answer = answers.find(({ match, value }) => matchesKeyword(match, value, received))
  const hasOwnHelp = asksForHelp && answer !== undefined && answer.match !== 'any'
  const aboutConsent = hasOwnHelp ? undefined : await makeConsentAnswer(store, config, received)
  if (aboutConsent !== undefined) {
    const text = { to: from, body: aboutConsent.body, ...countSegments(aboutConsent.body) }
    const offer = makeAnswerOffer(received, user, text)
    const { id: known } = aboutConsent
    const messages = known === '' ? offer.messages : [{ ...offer.messages[0]!, id: known }]
    return { offer: { ...offer, messages }, label: '', endsWaiting: true }
  }
  if (!answer || (isOptedOut && !hasOwnHelp)) return
  const content = answer.template
    ? { templateId: answer.template, variables: {} }
    : { body: answer.body, variables: answer.body.includes('{{') ? {} : null }
  try {
    const [text] = await writeTexts(store, config, user, content, [from], refuseEmptyVariable)
    const offer = makeAnswerOffer(received, answer.id, text!, answer.template)
    const endsWaiting = answer.match !== 'any'
    return { offer, files: findAnswerFiles(answer), label: answer.label, endsWaiting }
  } catch (error) {
    // the template was deleted or a variable has no value. After other errors, the job runs again
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

/** `template`: the id of the template from which the text is made; '' for none. */
const makeAnswerOffer = (
  received: Answerable,
  sentBy: string,
  text: Text,
  template = '',
): Offer => ({
  ...makeOffer({
    permit: requirePermit(makeAccountSender(received.user, sentBy), 'send'),
    line: received.simulatedLine ?? '',
    options: {
      ...PLAIN_OPTIONS,
      clientRef: makeAnswerRef(received.id),
      expiresAt: formatDate(new Date(Date.now() + MAX_ANSWER_DELAY_MS)),
      // bulk: the conversation keeps its last text
      isBulk: true,
    },
    texts: [text],
    scope: { template, groups: [] },
  }),
  isHelp: isHelp(received),
})
