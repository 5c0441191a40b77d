import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatDate } from '../../engine/fields/parse-date.ts'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import type { Again, Job, JobKind } from '../../platform/jobs/job-queue.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { countSegments } from '../../portable/segments.ts'
import { makeAccountSender } from '../base/make-sender.ts'
import { logChanged } from '../base/message-status.ts'
import { requirePermit } from '../base/permissions.ts'
import { SERVER_REFS } from '../base/server-refs.ts'
import { beginHelpPause } from '../codes/limits/count-codes.ts'
import { makeConsentAnswer, PAUSE_SECONDS } from '../consent/consent-answer.ts'
import { isHelp } from '../consent/consent-words.ts'
import { isStoppedSql } from '../consent/stopped-numbers.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import type { Offer } from '../messages/send/offer.ts'
import { makeOffer } from '../messages/send/prepare-offer.ts'
import { PLAIN_OPTIONS } from '../messages/send/send-options.ts'
import type { AcceptConfig } from '../messages/send/store-offers.ts'
import { type Text, writeTexts } from '../messages/send/write-text-bodies.ts'
import {
  type AnswerPictures,
  type AnswerWithFiles,
  loadAnswerPictures,
  namePictures,
  storeAnswer,
} from './answer-pictures.ts'
import { matchesKeyword } from './keyword-match.ts'
import { ANSWER } from './queue-answers.ts'

/**
 * Reads a text if it may be answered: no answer yet, user enabled. `simulatedLine`: the line that received
 * it, if it belongs to a simulated phone. `sent`: automatic answers that the sender got in the last 24 hours.
 */
const readText = (db: Db, user: string, id: string) =>
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

/** A received text that may be answered. */
type Answerable = NonNullable<Awaited<ReturnType<typeof readText>>>

/** The `client_ref` of the automatic answer to a text. */
const makeAnswerRef = (id: string): string => SERVER_REFS.answer + id

/** Whether an automatic answer may go to this sender: not to a name, nor to a short code. */
export const isAnswerable = (sender: string): boolean => E164.test(sender)

/** Maximum automatic answers to a number in 24 hours. The limit stops two machines that answer each other. */
export const MAX_ANSWERS_A_DAY = 5
/** A text is compared with at most this many automatic answers of the account, the oldest ones. */
const MAX_ANSWERS = 50
/** A text that has waited longer gets no answer. An answer that has waited longer is not sent. */
const MAX_WAIT_MS = 3_600_000

/**
 * Reads the automatic answers whose lines, hours and pause let them answer a text now, oldest first. Leaves
 * out those without a text, whose template was deleted.
 */
const readAnswers = (db: Db, user: string, id: string) =>
  queries(db)
    .selectFrom('auto_answers as a')
    .innerJoin('sms_messages as m', (join) => join.on('m.id', '=', id))
    .select(['a.id', 'a.match', 'a.value', 'a.body', 'a.template', 'a.attachments'])
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

/** Locks automatic answers to a text's sender on all nodes until the transaction ends. */
async function lockSender(db: Db, user: string, id: string): Promise<void> {
  const sender = sql`coalesce((select m."from" from sms_messages m where m.id = ${id}), '')`
  const taken = sql`pg_advisory_xact_lock(${sql.lit(LOCKS.answer)}, hashtext(${user} || ' ' || ${sender}))`
  await evaluateSql(db, taken)
}

type AnswerServices = Readonly<{ store: Store; config: AcceptConfig }>

export const makeAnswerJobs = (servicesOf: (user: string) => AnswerServices): JobKind => ({
  name: ANSWER,
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 30,
  maxAttempts: 8,
  run: (job) => answerText(servicesOf(job.holder), job),
})

/** Seconds until the next try for a text that no line can answer now. */
const AGAIN_SECONDS = 60

/** Ends a transaction whose answer has pictures that are not loaded. */
class PicturesMissing extends Error {
  override name = 'PicturesMissing'
  readonly answer: AnswerWithFiles

  constructor(answer: AnswerWithFiles) {
    super('The pictures of the answer are not loaded')
    this.answer = answer
  }
}

/** Answers a text, and loads the pictures of the answer, if it has some, between two tries. */
async function answerText(services: AnswerServices, job: Job): Promise<Again | undefined> {
  const { store, config } = services
  for (let pictures: AnswerPictures | undefined; ; ) {
    try {
      return await storeAnswerOnce(services, job, pictures)
    } catch (error) {
      if (!(error instanceof PicturesMissing)) throw error
      pictures = await loadAnswerPictures(store, job.holder, config, error.answer)
    }
  }
}

/**
 * Stores the answer to a text. Locks the sender first, so that pause and limit count other nodes' answers,
 * too. Throws PicturesMissing.
 */
async function storeAnswerOnce(
  { store, config }: AnswerServices,
  job: Job,
  pictures: AnswerPictures | undefined,
): Promise<Again | undefined> {
  const { key: id, holder: user } = job
  const made = await store.db.transaction(async (db) => {
    await lockSender(db, user, id)
    const inside = { db, catalog: store.catalog }
    const received = await readText(db, user, id)
    const due =
      received && received.sent < MAX_ANSWERS_A_DAY
        ? await makeOfferIfDue(inside, config, received)
        : undefined
    if (!due) return
    const { offer, answer } = due
    const named = answer ? namePictures(answer) : ''
    if (answer && named !== '' && named !== pictures?.of) throw new PicturesMissing(answer)
    const media = named === '' ? undefined : pictures?.media
    const { outcome, wake } = await storeAnswer(inside, config, offer, media)
    if (outcome === 'accepted') await endWaiting(inside, received!, offer.permit.sender.sentBy)
    if (outcome === 'accepted' || outcome === 'known')
      await queries(db)
        .insertInto('auto_answers_sent')
        .values({ user, number: received!.from, answer: offer.permit.sender.sentBy, message: id })
        .onConflict((found) => found.column('message').doNothing())
        .execute()
    return { outcome, wake }
  })
  wakeDevices(store.db, made?.wake ?? [])
  if (made?.outcome === 'accepted') counts.accepted.messages++
  if (made?.outcome === 'no_devices' && job.ageMs < MAX_WAIT_MS) return { inSeconds: AGAIN_SECONDS }
}

/** `answer`: the automatic answer, which may have pictures; absent for an answer about consent. */
interface DueAnswer {
  readonly offer: Offer
  readonly answer?: AnswerWithFiles
}

/**
 * Ends the waiting for an answer if the automatic answer `answer` answers to a word. One to any text, as
 * outside of opening hours, leaves the person waiting, and so does a newer text.
 */
async function endWaiting(
  store: Store,
  { id, user, from }: Answerable,
  answer: string,
): Promise<void> {
  const ended = await queries(store.db)
    .updateTable('conversations as c')
    .set(({ ref }) => ({
      unanswered: false,
      asked_at: sql<string>`coalesce(nullif(${ref('c.asked_at')}, ''), ${ref('c.last_at')})`,
      updated: NOW,
    }))
    .where('c.user', '=', user)
    .where('c.number', '=', from)
    .where('c.last_message', '=', id)
    .where('c.unanswered', '=', true)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('auto_answers as a').where('a.id', '=', answer).where('a.match', '<>', 'any'),
      ),
    )
    .returning('c.id')
    .execute()
  await logChanged(
    store,
    'conversations',
    'update',
    ended.map((one) => one.id),
  )
}

/**
 * Writes the answer about consent, else the first automatic answer that matches. An account's own answer to a
 * text for help comes first. A person who has opted out gets answers to texts for help alone, one in each
 * pause. Undefined if no answer matches or its template fails.
 */
async function makeOfferIfDue(
  store: Store,
  config: AcceptConfig,
  received: Answerable,
): Promise<DueAnswer | undefined> {
  const { id, user, from, isOptedOut } = received
  const asksForHelp = isHelp(received)
  if (isOptedOut && !(asksForHelp && (await beginHelpPause(store.db, user, from, PAUSE_SECONDS))))
    return
  const answers = await readAnswers(store.db, user, id)
  const answer = answers.find(({ match, value }) => matchesKeyword(match, value, received))
  const hasOwnHelp = asksForHelp && answer !== undefined && answer.match !== 'any'
  const aboutConsent = hasOwnHelp ? undefined : await makeConsentAnswer(store, config, received)
  if (aboutConsent !== undefined) {
    const text = { to: from, body: aboutConsent.body, ...countSegments(aboutConsent.body) }
    const offer = makeAnswerOffer(received, user, text)
    const { id: known } = aboutConsent
    if (known === '') return { offer }
    return { offer: { ...offer, messages: [{ ...offer.messages[0]!, id: known }] } }
  }
  if (!answer || (isOptedOut && !hasOwnHelp)) return
  const content = answer.template
    ? { templateId: answer.template, variables: {} }
    : { body: answer.body, variables: answer.body.includes('{{') ? {} : null }
  try {
    const [text] = await writeTexts(store, config, user, content, [from])
    return { offer: makeAnswerOffer(received, answer.id, text!, answer.template), answer }
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
      expiresAt: formatDate(new Date(Date.now() + MAX_WAIT_MS)),
      // bulk: the conversation keeps its last text
      isBulk: true,
    },
    texts: [text],
    scope: { template, groups: [] },
  }),
  isHelp: isHelp(received),
})
