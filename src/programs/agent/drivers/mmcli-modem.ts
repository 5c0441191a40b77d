import { repeatWork } from '../../../platform/tools/repeat-work.ts'
import { DATA_URL } from '../../../portable/data-url.ts'
import type { DriverEvents, OutgoingText, SendResult, Sim } from '../driver-interface.ts'
import { STDERR } from './log-no-answer.ts'
import { CALL_MS, createText, MMCLI } from './mmcli-text.ts'
import { parseReceivedAt } from './parse-received-at.ts'
import { parseOutput, requireProgram, runProgram } from './run-program.ts'

const HINT = 'Install ModemManager and see whether `mmcli -L` lists the modem.'
const LOOK_MS = 3_000
/** Maximum time a modem takes to send a text of several parts. mmcli itself waits for SEND_SECONDS. */
const SEND_MS = 100_000
const SEND_SECONDS = 95
/** Maximum number of sent texts whose delivery reports are awaited. Reports of older texts are ignored. */
const MAX_AWAITED = 1_000
/** States of delivery that may change. A `temporary-fatal-error` is final: the network no longer tries. */
const OPEN = /^(?:|unknown.*|temporary-(?!fatal).*)$/
/** Delivered, by the report of the network. It cannot confirm `completed-forwarded-unconfirmed`. */
const DELIVERED = /^completed-(?!forwarded)/
/** Types of messages that no person wrote: reports, acknowledgements and a cancellation. */
const NO_TEXT = /report|acknowledgement|cancellation/

/** The used part of the output of `mmcli -s PATH -J`. Unknown values are `--`. `data`: hexadecimal. */
interface Sms {
  readonly content: { readonly number: string; readonly text: string; readonly data?: string }
  readonly properties: Readonly<Record<string, string>>
}

/** The used part of the output of `mmcli -m NAME -J`. Unknown values are `--`. */
interface ModemInfo {
  readonly generic?: { readonly sim?: string; readonly 'own-numbers'?: readonly string[] }
  readonly '3gpp'?: { readonly 'operator-name'?: string }
}

/** Uses a modem through mmcli. `name`: its index or path, or `any` for a single modem. `slot`: from 1. */
export function openModem(name: string, slot: number) {
  /** Sent texts without a delivery report, by their path in ModemManager. */
  const awaited = new Map<string, Pick<OutgoingText, 'id' | 'attempt' | 'to'>>()
  /** Received texts that were passed on but not deleted: some modems do not delete. */
  const reported = new Set<string>()
  let takesFile = false
  let end = async () => {}

  async function ask<T>(...args: string[]): Promise<T | undefined> {
    const { output } = await runProgram(MMCLI, [...args, '-J'], CALL_MS)
    return parseOutput<T>(output.replaceAll('\x1f', '\\u001f')) // the only character that mmcli does not escape
  }

  /** `takesTextFile`: whether this mmcli reads the body of a text from a file. */
  async function start(events: DriverEvents, takesTextFile: boolean): Promise<void> {
    takesFile = takesTextFile
    await requireProgram(MMCLI, ['-m', name, '--messaging-status'], HINT)
    end = repeatWork(() => look(events), LOOK_MS, STDERR)
  }

  /** Reads the SIM's carrier, and its phone number if that begins with `+`. */
  async function sim(): Promise<Sim> {
    const modem = (await ask<{ modem?: ModemInfo }>('-m', name))?.modem
    const path = dropUnknown(modem?.generic?.sim)
    const answer = path
      ? await ask<{ sim?: { properties?: ModemInfo['3gpp'] } }>('-i', path)
      : undefined
    const home = dropUnknown(answer?.sim?.properties?.['operator-name'])
    const carrier = home ?? dropUnknown(modem?.['3gpp']?.['operator-name'])
    const number = modem?.generic?.['own-numbers']?.find((own) => own.startsWith('+'))
    return { slot, ...(number && { number }), ...(carrier && { carrier }) }
  }

  async function send({ id, attempt, to, body }: OutgoingText): Promise<SendResult> {
    const created = await createText(name, to, body, takesFile)
    const [path] = /\/org\/freedesktop\/ModemManager1\/SMS\/\d+/.exec(created.output) ?? []
    if (created.code !== 0 || !path)
      return {
        outcome: 'failed',
        error: created.errors || 'The modem takes no text',
        notSent: true,
      }
    const sent = await runProgram(
      MMCLI,
      ['-s', path, '--send', `--timeout=${SEND_SECONDS}`],
      SEND_MS,
    )
    // a failed text may have been sent in part
    if (sent.code !== 0) {
      await forget(path)
      return { outcome: 'failed', error: sent.errors, notSent: false }
    }
    awaited.set(path, { id, attempt, to })
    if (awaited.size > MAX_AWAITED) await forget([...awaited.keys()][0]!)
    return { outcome: 'sent' }
  }

  async function look(events: DriverEvents): Promise<void> {
    const before = [...awaited.keys()]
    const { output, errors } = await runProgram(
      MMCLI,
      ['-m', name, '--messaging-list-sms', '-J'],
      CALL_MS,
    )
    const paths = parseOutput<{ 'modem.messaging.sms'?: string[] }>(output)?.['modem.messaging.sms']
    if (!paths) throw new Error(errors || 'mmcli lists no texts')
    for (const path of paths) {
      const sms = await read(path)
      if (sms?.properties.state === 'received') await receive(path, sms, events)
      else if (sms) await report(path, sms, events)
    }
    for (const path of before) if (!paths.includes(path)) awaited.delete(path)
  }

  async function receive(
    path: string,
    { content, properties }: Sms,
    events: DriverEvents,
  ): Promise<void> {
    const { number, text, data } = content
    const { timestamp } = properties
    const key = JSON.stringify([path, number, text, timestamp])
    const bytes = Buffer.from(dropUnknown(data) ?? '', 'hex')
    const body = dropUnknown(text) ?? (bytes.length > 0 ? DATA_URL + bytes.toString('base64') : '')
    if (!reported.has(key) && !NO_TEXT.test(properties['pdu-type'] ?? ''))
      // `timestamp` is like `2026-11-20T08:15:00+01`: `Date` needs the minutes of the offset, too
      await events.received(
        { from: dropUnknown(number) ?? '', body, sim: slot },
        parseReceivedAt((timestamp ?? '').replace(/[+-]\d\d$/, '$&:00')),
      )
    reported.add(key)
    if (await forget(path)) reported.delete(key)
  }

  async function report(
    path: string,
    { content, properties }: Sms,
    events: DriverEvents,
  ): Promise<void> {
    const text = awaited.get(path)
    if (!text) return
    // ModemManager reuses its paths after a restart: this is the text of another program
    if (content.number !== text.to) return void awaited.delete(path)
    const state = dropUnknown(properties['delivery-state']) ?? ''
    if (OPEN.test(state)) return
    if (DELIVERED.test(state)) await events.delivered(text, new Date())
    else if (!state.startsWith('completed'))
      await events.delivered(text, new Date(), `The network could not deliver it: ${state}`)
    await forget(path)
  }

  const read = async (path: string) => (await ask<{ sms: Sms }>('-s', path))?.sms

  /** Deletes a text from the modem. Returns whether that succeeded. */
  async function forget(path: string): Promise<boolean> {
    awaited.delete(path)
    const { code } = await runProgram(
      MMCLI,
      ['-m', name, `--messaging-delete-sms=${path}`],
      CALL_MS,
    )
    return code === 0
  }

  return { start, sim, send, stop: () => end() }
}

/** A value of mmcli; undefined for none, which mmcli prints as `--`. */
const dropUnknown = (value = '--') => (value === '--' || value === '' ? undefined : value)
