import { UserError } from '../../../platform/api-errors.ts'
import { repeatWork } from '../../../platform/tools/repeat-work.ts'
import { MAX_SIMS } from '../../../portable/max-sims.ts'
import type { Driver, DriverEvents, OutgoingText, SendResult, Sim } from '../driver-interface.ts'
import { defineDriverKind } from './driver-kind.ts'
import { STDERR } from './log-no-answer.ts'
import { readNumberOption, SIMS } from './options.ts'
import { parseReceivedAt } from './parse-received-at.ts'
import { parseOutput, requireProgram, runProgram } from './run-program.ts'
import {
  type Listed,
  openOwnTexts,
  openTermuxInbox,
  type Refusal,
  readArrival,
} from './termux-inbox.ts'

const HINT = 'Install the app Termux:API, let it send and read SMS, and `pkg install termux-api`.'
const LOOK_MS = 10_000
const CALL_MS = 60_000
/** Time limit of a call that may wait for the user to grant a permission. */
const INFO_MS = 15_000
const PAGE = 50
/** Maximum texts of a check, after the agent was stopped for long. */
const MAX_TEXTS = 5_000

/** The used part of the output of `termux-telephony-deviceinfo`. It describes only the default SIM. */
interface DeviceInfo {
  readonly phone_count?: number
  readonly sim_state?: string
  readonly sim_operator_name?: string
  readonly sim_country_iso?: string
}

/** Uses an Android phone by Termux:API. `memory`: file for the texts seen. `count`: SIMs; 0: detect. */
export function makeTermuxDriver(memory: string, count = 0) {
  const inbox = openTermuxInbox(memory)
  const sentBox = openTermuxInbox(`${memory}.sent`)
  const own = openOwnTexts(`${memory}.own`)
  let sims: readonly Sim[] = []
  let android: number | undefined
  let end = async () => {}

  /** Throws a UserError if Termux:API does not work. Texts from before the first start are ignored. */
  async function start(events: DriverEvents): Promise<void> {
    await requireProgram('termux-sms-list', ['-h'], HINT)
    const { list, error } = await readTexts('inbox', 1, 0)
    if (error) throw new UserError(`termux-sms-list does not work: ${error}. ${HINT}`)
    if (list?.some(({ _id }) => _id === undefined))
      throw new UserError(
        'The app Termux:API is too old: its texts have no ids. Install 0.50 or later.',
      )
    sims =
      count > 0 ? Array.from({ length: count }, (_, i) => ({ slot: i + 1 })) : await readOnlySim()
    android = await readApiLevel()
    end = repeatWork(
      async () => {
        await receive(events)
        await findTyped(events)
      },
      LOOK_MS,
      STDERR,
    )
  }

  /** `sim` 1 is Android's slot 0. The body is standard input, because the length of arguments is limited. */
  async function send({ to, body, sim }: OutgoingText): Promise<SendResult> {
    const slot = sim > 0 && sims.length !== 1 ? ['-s', String(sim - 1)] : []
    await own.add(to, body).catch(() => {})
    const { code, output, errors } = await runProgram(
      'termux-sms-send',
      ['-n', to, ...slot],
      CALL_MS,
      body,
    )
    const said = output.trim()
    if (code === 0 && said === '') return { outcome: 'sent' }
    // a missing permission, or an option that this version lacks
    const refused = parseOutput<Refusal>(said)?.error ?? /^termux-sms-send: .*/.exec(said)?.[0]
    const error = refused || errors || said || 'Android did not take it'
    if (refused) await own.take(to, body).catch(() => {})
    return { outcome: 'failed', error, notSent: Boolean(refused) }
  }

  const readSim = () => (sims.length === 1 ? 1 : 0)

  /** Passes on all new texts, the oldest first. */
  async function receive(events: DriverEvents): Promise<void> {
    const texts = await look('inbox', inbox)
    for (const text of texts ?? []) {
      const { type = 'inbox', address, number, body } = text
      if (type !== 'inbox' || !inbox.isNew(text)) continue
      await events.received(
        { from: address ?? number ?? '', body: body ?? '', sim: readSim() },
        parseReceivedAt(readArrival(text)),
      )
    }
    if (texts) inbox.remember(texts)
  }

  /** Passes on texts that the phone's owner sent with another app. Android lists those of the agent, too. */
  async function findTyped(events: DriverEvents): Promise<void> {
    const texts = events.typed && (await look('sent', sentBox))
    for (const text of texts ?? []) {
      const { type = 'sent', address, number, body } = text
      const to = address ?? number ?? ''
      if (type !== 'sent' || to === '' || !body || !sentBox.isNew(text)) continue
      if (await own.take(to, body)) continue
      await events.typed?.({ to, body, sim: readSim() }, parseReceivedAt(readArrival(text)))
    }
    if (texts) sentBox.remember(texts)
  }

  return {
    parallel: 1,
    get sims() {
      return sims
    },
    get android() {
      return android
    },
    start,
    send,
    stop: () => end(),
  } satisfies Driver
}

/** The API level of Android; undefined if it is unknown. */
async function readApiLevel(): Promise<number | undefined> {
  const { output } = await runProgram('getprop', ['ro.build.version.sdk'], INFO_MS)
  return Number.parseInt(output, 10) || undefined
}

type Box = 'inbox' | 'sent'

/**
 * The texts of a box, the oldest first. Reads the next page if a page has only new texts. Undefined if
 * Android does not answer: if this counted as an empty box, all texts would later be new.
 */
async function look(box: Box, { isNew }: Pick<ReturnType<typeof openTermuxInbox>, 'isNew'>) {
  const texts: Listed[] = []
  let page: readonly Listed[]
  do {
    const { list, error } = await readTexts(box, PAGE, texts.length)
    if (error) throw new Error(error)
    if (!list) return undefined
    page = list
    texts.push(...page)
  } while (page.length >= PAGE && page.every(isNew) && texts.length < MAX_TEXTS)
  return texts.sort((a, b) => a._id - b._id)
}

/** Reads texts, the newest first. No `list` if Android does not answer. */
async function readTexts(box: Box, limit: number, offset: number) {
  const args = ['-l', String(limit), '-o', String(offset), '-t', box]
  const { output } = await runProgram('termux-sms-list', args, CALL_MS)
  const answer = parseOutput<Listed[] | Refusal>(output)
  return Array.isArray(answer) ? { list: answer } : { error: answer?.error }
}

/** The SIM of a phone with one slot; [] for several slots: Termux:API does not say which have a SIM. */
async function readOnlySim(): Promise<Sim[]> {
  const { output } = await runProgram('termux-telephony-deviceinfo', [], INFO_MS)
  const info = parseOutput<DeviceInfo>(output)
  if (info?.phone_count !== 1 || info.sim_state !== 'ready') return []
  const { sim_operator_name: carrier, sim_country_iso: country } = info
  return [{ slot: 1, ...(carrier && { carrier }), ...(country && { country }) }]
}

export const TERMUX = defineDriverKind({
  options: { sims: SIMS },
  version: ['dpkg-query', '-W', 'termux-api'],
  platform: 'android',
  make: ({ sims }, stateFile) =>
    makeTermuxDriver(`${stateFile}.termux`, readNumberOption('sims', sims, 0, MAX_SIMS)),
})
