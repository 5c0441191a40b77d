import { t } from '../language/words.ts'
import type { Choices } from './choices.ts'
import type { RecordOf, Sender } from './record-types.ts'
import { translateFault } from './words/fault-sentences.ts'
import type { State } from './words/message-states.ts'

/** An export or an erasure of a person's data. */
export interface PersonRequest extends RecordOf<'person_requests'> {
  /** Rows by place; null until the request is done. */
  readonly counts: Readonly<Record<string, number>> | null
  readonly expand?: { readonly asked_by?: Sender }
}

/** The account's data about a person: the answer of a preview of an erasure. */
export interface FoundData {
  readonly number: string
  readonly name: string
  /** The id of the contact; '' without one. */
  readonly contact: string
  readonly open_texts: number
  /** Other numbers of the person, which an export or erasure leaves out. */
  readonly linked: readonly {
    readonly contact: string
    readonly number: string
    readonly name: string
  }[]
  readonly stopped: boolean
  readonly places: readonly {
    readonly place: string
    readonly title: string
    readonly count: number
  }[]
}

/** The server counts up to this number, which means as many or more. */
export const MOST_COUNTED = 10_000

const DELETED = t('Deleted#data')
const EMPTIED = t('Content removed, status and time kept')
const REMOVED = t('Number removed')

/** A kind of data: the place in the server's answers, its name, and what an erasure does to it. */
export type Kind = readonly [place: string, words: string, erasure: string]

/** All kinds, in the order in which a page shows them. */
const KINDS: readonly Kind[] = [
  ['contacts', t('Contact'), DELETED],
  ['conversations', t('Conversation'), DELETED],
  ['sms_messages', t('Messages'), EMPTIED],
  ['_files', t('Files of messages'), DELETED],
  ['conversation_notes', t('Notes'), DELETED],
  ['conversation_drafts', t('Drafts'), DELETED],
  ['consents', t('Records of consent'), t('Deleted: a hash of each entry stays')],
  ['consent_states', t('Current consent'), DELETED],
  ['verifications', t('Verification codes'), EMPTIED],
  ['_verify_codes', t('Verification codes that wait'), DELETED],
  ['campaigns', t('Campaigns'), REMOVED],
  ['hooks', t('Incoming webhooks that text the number'), REMOVED],
  ['hook_calls', t('Calls of incoming webhooks'), DELETED],
  ['webhooks', t('Outgoing webhooks for the number'), REMOVED],
  ['webhook_payloads', t('Calls of outgoing webhooks'), EMPTIED],
  ['webhook_deliveries', t('Answers to outgoing webhooks'), EMPTIED],
  ['sms_events', t('Steps of messages'), EMPTIED],
  ['sms_dispatch', t('Waiting messages'), t('Canceled#texts')],
  ['sms_origins', t('Sends by other programs'), EMPTIED],
  ['auto_answers_sent', t('Automatic answers'), DELETED],
  ['_jobs', t('Automatic answers that wait'), DELETED],
  ['twilio_answers', t('Answers by TwiML'), DELETED],
  ['line_recipients', t('Counts of the limits of lines'), DELETED],
  ['sms_idempotency', t('Answers to repeated requests'), DELETED],
  ['person_requests', t('Earlier requests'), t('Number removed; who, when and why kept')],
]

/** The kinds with their counts. Skips kinds without data. A kind of a newer server has the server's name. */
export function listCountedKinds(
  counts: Readonly<Record<string, number>>,
  makeTitle: (place: string) => string = (place) => place.replaceAll('_', ' '),
): readonly (readonly [kind: Kind, count: number])[] {
  const known = new Set(KINDS.map(([place]) => place))
  const others = Object.keys(counts).filter((place) => !known.has(place))
  const kinds = [...KINDS, ...others.map((place): Kind => [place, makeTitle(place), '–'])]
  return kinds.flatMap((kind) => (counts[kind[0]] ? [[kind, counts[kind[0]]!] as const] : []))
}

export const REQUEST_STATES: Readonly<Record<PersonRequest['state'], State>> = {
  waiting: ['calm', t('Waiting')],
  running: ['busy', t('Running')],
  done: ['good', t('Done#request')],
  failed: ['bad', t('Failed#request')],
}

export const REQUEST_KINDS: Readonly<Record<PersonRequest['kind'], string>> = {
  export: t('Export of data'),
  erasure: t('Erasure of data'),
}

/** Whether a request exports the whole account. A request about an erased person keeps the hash. */
export const isAccountRequest = ({ number, hash }: PersonRequest): boolean =>
  number === '' && hash === ''

export const isRequestOpen = ({ state }: PersonRequest): boolean =>
  state === 'waiting' || state === 'running'

/** The path of the page of a person, and of a request. */
export const makePersonPath = (number: string): string =>
  `/personal-data/${encodeURIComponent(number)}`
export const makeRequestPath = (id: string): string => `/personal-data/requests/${id}`

const FAULTS: Choices<RegExp> = [
  [/^The person was erased meanwhile\.$/, t('The person was erased meanwhile.')],
  [
    /^\d+ requests about persons wait/,
    t('Too many requests wait already. Try again when one of them is done.'),
  ],
  [
    /^The server could not do this\./,
    t('The server could not do this. A superuser sees why under Health.'),
  ],
  [
    /^No run of the job has ended\.$/,
    t('The server stopped during the work, each time that it tried. Ask for it again.'),
  ],
]

/** Why a request failed or was refused, in words for people. */
export const describeRequestFault = (message: string): string =>
  FAULTS.find(([said]) => said.test(message))?.[1] ?? translateFault(message)
