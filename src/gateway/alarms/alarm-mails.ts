import { sql } from 'kysely'
import { type MailSender, readMailSender } from '../../engine/auth/auth-mails.ts'
import {
  escapeHtml,
  formatNameForMail,
  renderLink,
  renderMailLayout,
} from '../../engine/auth/mail-html.ts'
import { type MailServices, makeMessageId, sendMail } from '../../engine/auth/send-mail.ts'
import type { Store } from '../../engine/collections/catalog.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Job, JobKind } from '../../platform/jobs/job-queue.ts'
import {
  formatMailTime,
  makeSay,
  type SaySentence,
  type TimeReader,
} from '../../platform/words/say.ts'
import { readLanguage } from '../../portable/languages.ts'
import { isTimeZone } from '../lines/quiet-hours.ts'
import de from './words/de.json' with { type: 'json' }
import en from './words/en.json' with { type: 'json' }
import es from './words/es.json' with { type: 'json' }
import fr from './words/fr.json' with { type: 'json' }
import pt from './words/pt.json' with { type: 'json' }

const WORDS = { en, de, es, fr, pt }
type AlarmWord = keyof typeof en

/** Name of the jobs that send alarm mails. The payload is AlarmNews[], the key is part of the Message-ID. */
const ALARM_MAIL = 'alarm_mail'
/**
 * `last_seen` may be this many seconds old: servers write it no more often (gateway/base/device-record.ts).
 */
const SPARED_SECONDS = 30

/** Adds mail jobs about devices that fail, are low on battery, are silent or have returned. */
export async function checkSilentDevices(db: Db, alarmMinutes: number): Promise<void> {
  await callFunction(db, 'alarms_check', alarmMinutes * 60 + SPARED_SECONDS)
}

/** A mail that has waited longer than this is not sent any more. */
const MAX_AGE_MS = 86_400_000
/** A mail waits this many seconds at a time while an older mail of its account is unsent. */
const IN_ORDER_SECONDS = 60

/** The owner; undefined if deleted or unverified. */
const findOwner = (db: Db, { holder }: Job) =>
  queries(db)
    .selectFrom('users as u')
    .leftJoin('user_settings as s', 's.user', 'u.id')
    .select(['u.email as to', 'u.language', 's.time_zone as timeZone', 's.country'])
    .where('u.id', '=', holder)
    .where('u.verified', '=', true)
    .executeTakeFirst()

/** Whether an older mail of the account has to be sent first. */
const findOlderMail = (db: Db, { id, holder }: Job) =>
  queries(db)
    .selectFrom('_jobs')
    .select('id')
    .where('kind', '=', ALARM_MAIL)
    .where('holder', '=', holder)
    .where('id', '<', id)
    .where('dead_at', 'is', null)
    .limit(sql.lit(1))
    .executeTakeFirst()

/** Jobs that send alarm mails, in order for each account. A retried mail has the same Message-ID. */
export const makeAlarmMailJobs = (
  storeOf: (user: string) => Store,
  post: MailServices,
): JobKind => ({
  name: ALARM_MAIL,
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 600,
  // more than MAX_AGE_MS leaves time for
  maxAttempts: 40,
  async run(job) {
    if (job.ageMs > MAX_AGE_MS) {
      post.log.error({ mail: job.key }, 'could not send an alarm mail within a day')
      return
    }
    const { db } = storeOf(job.holder)
    if (await findOlderMail(db, job)) return { inSeconds: IN_ORDER_SECONDS }
    const owner = await findOwner(db, job)
    if (!owner) return
    const reader = {
      language: readLanguage(owner.language),
      timeZone: isTimeZone(owner.timeZone ?? '') ? owner.timeZone! : 'UTC',
      country: owner.country ?? '',
    }
    await sendMail(post, {
      ...renderAlarmMail(job.payload as AlarmNews[], readMailSender(post), reader),
      messageId: makeMessageId(post, job.key),
      to: owner.to,
    })
  },
})

/** One item of an alarm mail, usually about a device. Its times are unchecked: an owner can edit them. */
export interface AlarmNews {
  readonly name: string
  /** True if the device is silent; false or absent for other news. */
  readonly isSilent?: boolean
  /** When messages of one of the device's lines began to fail. */
  readonly failingSince?: string
  /** Percent of a battery that is low and not charging. */
  readonly battery?: number
  /** A prefix such as `+49`: the verification service `name` sends no more codes to such phone numbers. */
  readonly stoppedCountry?: string
  /** Why a carrier sends nothing: its words when it refuses the account, or that it cannot be reached. */
  readonly fault?: string
  /** The monthly budget of a line, which is too small for another text. */
  readonly budget?: string
  /** An address at which `name` was used, although its list excludes that. */
  readonly refusedAddress?: string
  readonly refusedOf?: string
  readonly silentSince?: string
  readonly backSince?: string
  readonly waiting: number
  readonly moved?: number
}

/** Maximum devices that a mail lists in each part. The rest are counted. */
const MAX_LISTED = 100

export function renderAlarmMail(
  news: readonly AlarmNews[],
  sender: MailSender,
  reader: TimeReader = { language: 'en' },
): { subject: string; html: string } {
  const failing = news.filter(({ failingSince }) => failingSince)
  const low = news.filter(({ battery }) => battery !== undefined)
  const silent = news.filter(({ isSilent }) => isSilent)
  const stopped = news.filter(({ stoppedCountry }) => stoppedCountry)
  const faulty = news.filter(({ fault }) => fault)
  const spent = news.filter(({ budget }) => budget)
  const refused = news.filter(({ refusedAddress }) => refusedAddress)
  const others = [failing, low, silent, stopped, faulty, spent, refused].flat()
  const back = news.filter((one) => !others.includes(one))
  const groups = [
    [silent, 'isSilent', 'silent'],
    [failing, 'isFailing', 'failing'],
    [low, 'isLow', 'low'],
    [faulty, 'isFaulty', 'faulty'],
    [spent, 'isSpent', 'spent'],
    [back, 'isBack', 'back'],
    [refused, 'isRefused', 'refused'],
    [stopped, 'isStopped', 'stopped'],
  ] as const
  const say = makeSay(WORDS, reader.language)
  const body = [
    say('hello'),
    ...groups.flatMap(([all, , word]) => describeNews(all, word, reader)),
    ...(silent.length > 0 ? [say('look')] : []),
  ].map((text) => `<p>${escapeHtml(text)}</p>`)
  body.push(
    `<p>${renderLink(`${sender.appUrl}/#/devices`, say('devicesButton'), 'btn')}</p>`,
    `<p>${escapeHtml(sender.appName)}</p>`,
  )
  const country = stopped[0]?.stoppedCountry ?? ''
  const parts = groups.flatMap(([all, state, word]) => {
    if (all.length > 1) return say(state, { count: all.length, country })
    return all.map((one) => say(state, { count: 1, name: nameThing(one, word, say), country }))
  })
  return {
    subject: parts.join(', '),
    html: renderMailLayout(body.join('\n'), { language: reader.language }),
  }
}

/** The sentence about a device, by what has happened to it. */
type NewsWord = 'silent' | 'failing' | 'low' | 'faulty' | 'spent' | 'back' | 'refused' | 'stopped'

function describeNews(news: readonly AlarmNews[], word: NewsWord, reader: TimeReader): string[] {
  const say = makeSay(WORDS, reader.language)
  const more = news.length - MAX_LISTED
  const lines = news.slice(0, MAX_LISTED).map((one) => {
    const ends = WITH_WAITING.has(word) ? [describeWaitingTexts(one, say)] : listAdvice(one, say)
    return [say(word, makeValues(one, word, reader)), ...ends].join(' ')
  })
  return [...lines, ...(more > 0 ? [say('more', { count: more })] : [])]
}

const WITH_WAITING: ReadonlySet<NewsWord> = new Set(['silent', 'failing', 'low', 'back'])

function makeValues(one: AlarmNews, word: NewsWord, reader: TimeReader) {
  const since = word === 'back' ? one.backSince : (one.failingSince ?? one.silentSince)
  return {
    name: nameThing(one, word, makeSay(WORDS, reader.language)),
    time: formatMailTime(reader, since ?? ''),
    from: formatMailTime(reader, one.silentSince ?? ''),
    percent: Math.round(one.battery ?? 0),
    fault: one.fault ?? '',
    budget: one.budget ?? '',
    country: one.stoppedCountry ?? '',
    address: one.refusedAddress ?? '',
  }
}

const nameThing = ({ name }: AlarmNews, word: NewsWord, say: SaySentence<AlarmWord>) =>
  formatNameForMail(name, say(word === 'refused' ? 'someKey' : 'someDevice'))

function describeWaitingTexts(
  { waiting, moved = 0 }: AlarmNews,
  say: SaySentence<AlarmWord>,
): string {
  const parts = [
    ...(waiting > 0 ? [say('waiting', { count: waiting })] : []),
    ...(moved > 0 ? [say('moved', { count: moved })] : []),
  ]
  return parts.length > 0 ? `${parts.join(', ')}.` : say('noneWaiting')
}

/** Advice against a stranger, by the collection whose sign-in was refused. */
const AGAINST_STRANGERS: Readonly<Record<string, AlarmWord>> = {
  devices: 'refusedDevice',
  members: 'refusedMember',
}

const listAdvice = (
  { refusedAddress, refusedOf = '' }: AlarmNews,
  say: SaySentence<AlarmWord>,
): string[] =>
  refusedAddress ? [say(AGAINST_STRANGERS[refusedOf] ?? 'refusedKey'), say('refusedElse')] : []
