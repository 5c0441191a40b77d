import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repeat } from '../../tools/repeat.ts'
import type { DriverEvents, OutgoingText, SendResult, Sim } from '../driver.ts'
import { receivedAt } from './received-at.ts'
import { needProgram, type ProgramResult, readJson, runProgram } from './run-program.ts'
import { STDERR } from './silence-log.ts'

const HINT = 'Install ModemManager and see whether `mmcli -L` lists the modem.'
const MMCLI = 'mmcli'
const LOOK_MS = 3_000
const CALL_MS = 30_000
/** Maximum time a modem takes to send a text of several parts. */
const SEND_MS = 100_000
/** Maximum number of sent texts whose delivery reports are awaited. Reports of older texts are ignored. */
const MAX_AWAITED = 1_000

/** The used part of the output of `mmcli -s PATH -J`. */
interface Sms {
  readonly content: { readonly number: string; readonly text: string }
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
  const awaited = new Map<string, Pick<OutgoingText, 'id' | 'attempt'>>()
  /** Received texts that were passed on but not deleted: some modems do not delete. */
  const reported = new Set<string>()
  let end = async () => {}

  async function ask<T>(...args: string[]): Promise<T | undefined> {
    const { output } = await runProgram(MMCLI, [...args, '-J'], CALL_MS)
    return readJson<T>(output)
  }

  async function start(events: DriverEvents): Promise<void> {
    await needProgram(MMCLI, ['-m', name, '--messaging-status'], HINT)
    end = repeat(
      async () => {
        await receive(events)
        await lookForReports(events)
      },
      LOOK_MS,
      STDERR,
    )
  }

  /** Reads the SIM's carrier, and its phone number if that begins with `+`. */
  async function sim(): Promise<Sim> {
    const modem = (await ask<{ modem?: ModemInfo }>('-m', name))?.modem
    const path = known(modem?.generic?.sim)
    const answer = path ? await ask<{ sim?: { properties?: ModemInfo['3gpp'] } }>('-i', path) : undefined
    const home = known(answer?.sim?.properties?.['operator-name'])
    const carrier = home ?? known(modem?.['3gpp']?.['operator-name'])
    const number = modem?.generic?.['own-numbers']?.find((own) => own.startsWith('+'))
    return { slot, ...(number && { number }), ...(carrier && { carrier }) }
  }

  async function send({ id, attempt, to, body }: OutgoingText): Promise<SendResult> {
    const created = await create(to, body)
    const [path] = /\/org\/freedesktop\/ModemManager1\/SMS\/\d+/.exec(created.output) ?? []
    if (created.code !== 0 || !path)
      return { outcome: 'failed', error: created.errors || 'The modem takes no text', notSent: true }
    const sent = await runProgram(MMCLI, ['-s', path, '--send'], SEND_MS)
    // a failed text may have been sent in part
    if (sent.code !== 0) {
      await forget(path)
      return { outcome: 'failed', error: sent.errors, notSent: false }
    }
    awaited.set(path, { id, attempt })
    if (awaited.size > MAX_AWAITED) await forget([...awaited.keys()][0]!)
    return { outcome: 'sent' }
  }

  /** Creates a text in the modem. Passes the body in a file: a quotation mark would end mmcli's option. */
  async function create(to: string, body: string): Promise<ProgramResult> {
    let folder: string | undefined
    try {
      folder = mkdtempSync(join(tmpdir(), 'pocketsms-agent-'))
      const file = join(folder, 'text')
      writeFileSync(file, body, { mode: 0o600 })
      const what = `number=${to},delivery-report-request=yes`
      const args = ['-m', name, `--messaging-create-sms=${what}`, `--messaging-create-sms-with-text=${file}`]
      return await runProgram(MMCLI, args, CALL_MS)
    } catch (error) {
      return { code: null, output: '', errors: (error as Error).message } // the disk is full
    } finally {
      if (folder) rmSync(folder, { recursive: true, force: true })
    }
  }

  async function receive(events: DriverEvents): Promise<void> {
    for (const path of await paths()) {
      if (awaited.has(path)) continue
      const sms = await read(path)
      if (sms?.properties.state !== 'received') continue
      const { number, text } = sms.content
      const { timestamp } = sms.properties
      const key = JSON.stringify([path, number, text, timestamp])
      if (!reported.has(key))
        // `timestamp` is like `2026-11-20T08:15:00+01`: `Date` needs the minutes of the offset, too
        await events.received(
          { from: number, body: text, sim: slot },
          receivedAt((timestamp ?? '').replace(/[+-]\d\d$/, '$&:00')),
        )
      reported.add(key)
      if (await forget(path)) reported.delete(key)
    }
  }

  async function lookForReports(events: DriverEvents): Promise<void> {
    for (const [path, text] of awaited) {
      const sms = await read(path)
      const state = sms?.properties['delivery-state'] ?? ''
      if (sms && (state === '' || state === '--' || state === 'unknown' || /^(temporary|still)/.test(state)))
        continue
      if (/^completed/.test(state)) await events.delivered(text, new Date())
      else if (state) await events.delivered(text, new Date(), `The network could not deliver it: ${state}`)
      await forget(path)
    }
  }

  async function paths(): Promise<string[]> {
    const listed = await ask<{ 'modem.messaging.sms'?: string[] }>('-m', name, '--messaging-list-sms')
    return listed?.['modem.messaging.sms'] ?? []
  }

  const read = async (path: string) => (await ask<{ sms: Sms }>('-s', path))?.sms

  /** Deletes a text from the modem. Returns whether that succeeded. */
  async function forget(path: string): Promise<boolean> {
    awaited.delete(path)
    const { code } = await runProgram(MMCLI, ['-m', name, `--messaging-delete-sms=${path}`], CALL_MS)
    return code === 0
  }

  return { start, sim, send, stop: () => end() }
}

const known = (value = '--') => (value === '--' || value === '' ? undefined : value)
