import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { callFunction, evaluateSql } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import type { Again, Job, JobKind } from '../../platform/jobs/job-queue.ts'
import { counts } from '../../platform/tools/process-counters.ts'
import { logChanged } from '../base/message-status.ts'
import { wakeDevices } from '../lines/wake-devices.ts'
import type { AcceptConfig } from '../messages/send/store-offers.ts'
import {
  type AnswerFiles,
  type AnswerPictures,
  loadAnswerPictures,
  namePictures,
  storeAnswer,
} from './answer-pictures.ts'
import {
  type Answerable,
  findAnswerable,
  MAX_ANSWER_DELAY_MS,
  MAX_ANSWERS_A_DAY,
  makeDueAnswer,
} from './due-answer.ts'
import { ANSWER } from './queue-answers.ts'

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
  readonly files: AnswerFiles

  constructor(files: AnswerFiles) {
    super('The pictures of the answer are not loaded')
    this.files = files
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
      pictures = await loadAnswerPictures(store, job.holder, config, error.files)
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
    const received = await findAnswerable(db, user, id)
    const due =
      received && received.sent < MAX_ANSWERS_A_DAY
        ? await makeDueAnswer(inside, config, received)
        : undefined
    if (!due) return
    const { offer, files } = due
    const named = files ? namePictures(files) : ''
    if (files && named !== '' && named !== pictures?.of) throw new PicturesMissing(files)
    const media = named === '' ? undefined : pictures?.media
    const { outcome, wake } = await storeAnswer(inside, config, offer, media)
    if (outcome === 'accepted') {
      if (due.endsWaiting) await endWaiting(inside, received!)
      if (due.label) await callFunction(db, 'labels_add', user, [received!.from], due.label)
    }
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
  if (made?.outcome === 'no_devices' && job.ageMs < MAX_ANSWER_DELAY_MS)
    return { inSeconds: AGAIN_SECONDS }
}

/** Ends the waiting for an answer, unless a newer text waits for one. */
async function endWaiting(store: Store, { id, user, from }: Answerable): Promise<void> {
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
    .returning('c.id')
    .execute()
  await logChanged(
    store,
    'conversations',
    'update',
    ended.map((one) => one.id),
  )
}
