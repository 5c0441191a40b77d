import type { MailSender } from '../../engine/auth/auth-mails.ts'
import {
  escapeHtml,
  formatNameForMail,
  renderLink,
  renderMailLayout,
} from '../../engine/auth/mail-html.ts'
import {
  formatMailTime,
  makeSay,
  type SaySentence,
  type TimeReader,
} from '../../platform/words/say.ts'
import de from './words/de.json' with { type: 'json' }
import en from './words/en.json' with { type: 'json' }
import es from './words/es.json' with { type: 'json' }
import fr from './words/fr.json' with { type: 'json' }
import pt from './words/pt.json' with { type: 'json' }

const WORDS = { en, de, es, fr, pt }
type AlarmWord = keyof typeof en

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
